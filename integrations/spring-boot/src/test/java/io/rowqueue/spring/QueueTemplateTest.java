package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.WorkerNotifier;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Enqueuing after a commit, on a connection that may fail. */
class QueueTemplateTest {

  private final List<String> calls = new ArrayList<>();
  private @Nullable String failing;
  private boolean refused;

  @Test
  void enqueue_commits_andRestoresAutoCommit() {
    enqueueAfterCommit();
    assertThat(calls)
        .containsExactly("getAutoCommit", "isReadOnly", "setAutoCommit", "commit", "setAutoCommit");
  }

  @Test
  void enqueue_thatIsRefused_isRolledBack_andRestoresAutoCommit() {
    refused = true;
    assertThatThrownBy(this::enqueueAfterCommit).hasMessage("refused").hasNoSuppressedExceptions();
    assertThat(calls)
        .containsExactly(
            "getAutoCommit", "isReadOnly", "setAutoCommit", "rollback", "setAutoCommit");
  }

  /** To switch auto-commit on would commit what could not be rolled back. */
  @Test
  void enqueue_thatIsRefusedAndNotRolledBack_throwsItsError_andAbortsTheConnection() {
    refused = true;
    failing = "rollback";
    assertThatThrownBy(this::enqueueAfterCommit)
        .hasMessage("refused")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(calls)
        .containsExactly("getAutoCommit", "isReadOnly", "setAutoCommit", "rollback", "abort");
  }

  @Test
  void enqueue_whoseCommitFails_hasAnUnknownOutcome() {
    failing = "commit";
    assertThatThrownBy(this::enqueueAfterCommit).isInstanceOf(EnqueueOutcomeUnknownException.class);
  }

  @Test
  void enqueue_onALostConnection_isRefused() {
    failing = "getAutoCommit";
    assertThatThrownBy(this::enqueueAfterCommit).isExactlyInstanceOf(EnqueueException.class);
  }

  /** Records the connection's calls during the callback, in which one of them fails. */
  private void enqueueAfterCommit() {
    String failingLater = failing;
    failing = null;
    DataSource source =
        new SingleConnectionDataSource(proxy(Connection.class, this::callConnection), true);
    QueueTemplate queue =
        new QueueTemplate(
            () -> proxy(MessageProducer.class, (producer, method, arguments) -> enqueued()),
            WorkerNotifier.SILENT,
            source,
            source);
    JdbcTransactionManager manager = new JdbcTransactionManager(source);
    manager.addListener(AfterCommit.LISTENER);
    List<String> recorded = new ArrayList<>();
    TransactionSynchronization callback =
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            calls.clear();
            failing = failingLater;
            try {
              queue.enqueue("order.placed", "a");
            } finally {
              recorded.addAll(calls);
              failing = null;
            }
          }
        };
    try {
      new TransactionTemplate(manager)
          .executeWithoutResult(
              status -> TransactionSynchronizationManager.registerSynchronization(callback));
    } finally {
      calls.clear();
      calls.addAll(recorded);
    }
  }

  private List<EnqueueResult> enqueued() {
    if (refused) {
      throw new EnqueueException("refused", new SQLException());
    }
    return List.of(new EnqueueResult(new MessageId(1), EnqueueResult.Outcome.INSERTED));
  }

  private Object callConnection(Object proxy, Method method, Object[] arguments)
      throws SQLException {
    if (method.getName().equals("toString")) {
      return "connection";
    }
    calls.add(method.getName());
    if (method.getName().equals(failing)) {
      throw new SQLException(failing + " fails");
    }
    return method.getReturnType() == boolean.class ? false : 0;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
