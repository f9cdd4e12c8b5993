package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.enqueue.OddConnections;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: what has been committed is never repeated. Method: a usual pool, whose connections restore
 * auto-commit when they are given back, and connections that break behind their COMMIT.
 */
@QueueTest
class CommitOutcomeIT {

  private static final String ALL = "SELECT COUNT(*) FROM queue_message";

  /** With an ordering key, so that they need a transaction. */
  private final List<NewMessage> three =
      IntStream.range(0, 3)
          .mapToObj(number -> NewMessage.of("order", number).withOrderingKey("key"))
          .toList();

  private final QueueDatabase database;
  private final AtomicInteger commits = new AtomicInteger();

  CommitOutcomeIT(QueueDatabase database) {
    this.database = database;
  }

  /** What happens behind a COMMIT that the server has answered. */
  private interface Behind {
    void commit(Connection connection) throws SQLException;
  }

  private HikariDataSource pool(Behind behind) {
    HikariConfig config = new HikariConfig();
    config.setMaximumPoolSize(2);
    config.setDataSource(
        new FreshConnections(
            () -> {
              Connection connection = database.connect();
              return OddConnections.of(
                  (method, arguments) -> {
                    Object result = method.invoke(connection, arguments);
                    if (method.getName().equals("commit") && commits.incrementAndGet() == 1) {
                      behind.commit(connection);
                    }
                    return result;
                  });
            }));
    return new HikariDataSource(config);
  }

  private static void breaks(Connection connection) throws SQLException {
    connection.abort(Runnable::run);
  }

  @Test
  void enqueue_thatNotifiesOnAConnectionThatBreaksBehindItsCommit_isThereOnce() {
    try (HikariDataSource pool = pool(CommitOutcomeIT::breaks)) {
      assertThat(MessageProducer.create().enqueueAll(pool, three)).hasSize(3);
    }
    assertThat(database.count(ALL)).isEqualTo(3);
    assertThat(commits).hasValue(1);
  }

  @Test
  void enqueue_whoseCommitIsAnsweredByAKill_isUnknownAndNotRepeated() {
    Behind killed =
        connection -> {
          throw new SQLException("Query execution was interrupted", "70100", 1317);
        };
    try (HikariDataSource pool = pool(killed)) {
      assertThatThrownBy(() -> MessageProducer.create().enqueueAll(pool, three))
          .isInstanceOf(EnqueueOutcomeUnknownException.class);
    }
    assertThat(database.count(ALL)).isEqualTo(3);
  }

  /** JTA's connections refuse it, and the transaction is not ours. */
  @Test
  void enqueue_onAConnectionThatAnotherManagerCommits_isRefused() {
    Behind refused =
        connection -> {
          throw new SQLException("cannot commit while taking part in a transaction");
        };
    try (HikariDataSource pool = pool(refused)) {
      assertThatThrownBy(() -> MessageProducer.create().enqueueAll(pool, three))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("call enqueue(connection, ...)");
    }
  }

  @Test
  void read_onAConnectionThatCannotBeGivenBack_isAnswered() {
    try (HikariDataSource pool = pool(connection -> {})) {
      Transactions transactions =
          new Transactions(pool, ServerDialect.MYSQL, TransactionProbe.NONE);
      long found =
          transactions.readOnConnection(
              connection -> {
                connection.abort(Runnable::run);
                return 1L;
              });
      assertThat(found).isOne();
    }
  }
}
