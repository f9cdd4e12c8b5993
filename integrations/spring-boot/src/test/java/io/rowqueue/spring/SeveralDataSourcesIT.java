package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.MessageProducer;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Enqueuing in an application with another data source, and transactions of both. */
@QueueTest
class SeveralDataSourcesIT {

  private static final String MESSAGES = "SELECT COUNT(*) FROM queue_message";

  private HikariDataSource pool;
  private QueueTemplate queue;
  private TransactionTemplate transaction;
  private TransactionTemplate ofAnother;

  @BeforeEach
  void open(QueueDatabase database) {
    pool = new HikariDataSource();
    pool.setJdbcUrl(database.url());
    queue = new QueueTemplate(MessageProducer.create(), WorkerNotifier.SILENT, pool);
    transaction = transaction(pool);
    ofAnother = transaction(database.dataSource());
  }

  private static TransactionTemplate transaction(DataSource source) {
    JdbcTransactionManager manager = new JdbcTransactionManager(source);
    manager.addListener(AfterCommit.LISTENER);
    return new TransactionTemplate(manager);
  }

  @AfterEach
  void close() {
    pool.close();
  }

  /** Spring binds the connection of JdbcTemplate to a transaction that it is not part of. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void enqueue_inATransactionOfAnother_hasCommitted(boolean autoCommit, QueueDatabase database) {
    pool.setAutoCommit(autoCommit);
    JdbcTemplate jdbc = new JdbcTemplate(pool);
    ofAnother.executeWithoutResult(
        status -> {
          jdbc.queryForObject("SELECT 1", Integer.class);
          queue.enqueue("order.placed", "a");
          status.setRollbackOnly();
        });
    assertThat(database.count(MESSAGES)).isEqualTo(1);
  }

  /** Its connections look like those of a transaction, and are new. */
  @Test
  void enqueue_overALazyPoolInATransactionOfAnother_hasCommitted(QueueDatabase database) {
    pool.setAutoCommit(false);
    QueueTemplate lazy =
        new QueueTemplate(
            MessageProducer.create(),
            WorkerNotifier.SILENT,
            new LazyConnectionDataSourceProxy(pool));
    ofAnother.executeWithoutResult(
        status -> {
          lazy.enqueue("order.placed", "a");
          status.setRollbackOnly();
        });
    assertThat(database.count(MESSAGES)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void enqueue_inATransactionOfAnotherInsideOne_commitsWithTheOuter(
      boolean commits, QueueDatabase database) {
    transaction.executeWithoutResult(
        unused -> {
          ofAnother.executeWithoutResult(
              inner -> {
                queue.enqueue("order.placed", "a");
                enqueueAfter();
                if (!commits) {
                  inner.setRollbackOnly();
                }
              });
          assertThat(database.count(MESSAGES)).isZero();
        });
    assertThat(database.count(MESSAGES)).isEqualTo(commits ? 3 : 2);
  }

  private void enqueueAfter() {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            queue.enqueue("order.placed", "b");
          }

          @Override
          public void afterCompletion(int status) {
            queue.enqueue("order.placed", "c");
          }
        });
  }

  /** Notifies with a name. */
  private record Notifier(String name, List<String> notified) implements WorkerNotifier {

    @Override
    public void notifyWorkers(Map<Topic, Integer> committed) {
      notified.add(name + committed);
    }

    @Override
    public void notifyWorkers(Map<Topic, Integer> committed, Connection idle) {
      notifyWorkers(committed);
    }
  }

  @Test
  void notifications_areSentOverTheNotifierOfEachTemplate() {
    List<String> notified = new ArrayList<>();
    QueueTemplate first = template(new Notifier("first", notified));
    QueueTemplate second = template(new Notifier("second", notified));
    transaction.executeWithoutResult(
        status -> {
          first.enqueue("order.placed", "a");
          second.enqueue("mail", "b");
          second.enqueue("mail", "c");
          ofAnother.executeWithoutResult(inner -> first.enqueue("order.placed", "d"));
          assertThat(notified).isEmpty();
        });
    assertThat(notified).containsExactlyInAnyOrder("first{order.placed=2}", "second{mail=2}");
  }

  private QueueTemplate template(WorkerNotifier notifier) {
    return new QueueTemplate(MessageProducer.create(), notifier, pool);
  }
}
