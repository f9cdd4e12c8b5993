package io.rowqueue.proof.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.rowqueue.EnqueueException;
import io.rowqueue.Jooq;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.proof.operation.QueueOperations;
import io.rowqueue.proof.statement.FaultTap.Injection;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.statement.Fault;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * An enqueue in its caller's own transaction, which is the caller's to repeat. What the call wrote
 * is gone, even if the caller goes on and commits.
 */
@QueueTest
class CallersTransactionFaultIT {

  private static final MessageProducer PRODUCER =
      MessageProducer.create().notifying(WorkerNotifier.SILENT);

  @TestFactory
  Stream<DynamicTest> enqueue_oneStatementIsRefused(QueueDatabase database) {
    return Stream.of(Way.values())
        .flatMap(
            way ->
                Stream.of(1, QueueOperations.TWO_STATEMENTS)
                    .flatMap(count -> cases(database, way, count).stream()));
  }

  private static List<DynamicTest> cases(QueueDatabase database, Way way, int count) {
    List<Sent> undisturbed = sent(database, way, count);
    List<DynamicTest> cases = new ArrayList<>();
    for (int position = 0; position < undisturbed.size(); position++) {
      Sent hit = undisturbed.get(position);
      for (Fault fault : Fault.values()) {
        if (fault.hits(hit)) {
          Injection injection = Injection.once(fault, position);
          cases.add(
              dynamicTest(
                  "%d by the caller's %s, statement %d of %d: %s: %s"
                      .formatted(
                          count,
                          way,
                          position + 1,
                          undisturbed.size(),
                          SqlText.head(hit.sql()),
                          fault),
                  () -> assertNothingIsLeft(database, way, count, injection)));
        }
      }
    }
    return cases;
  }

  /** Only what the call sends; the caller's own statements are the caller's. */
  private static List<Sent> sent(QueueDatabase database, Way way, int count) {
    List<Sent> sent = new ArrayList<>();
    try (Connection connection = open(database, recordedIn(sent))) {
      // The first use of a JDBC URL also asks the server what it is.
      way.enqueue(connection, QueueOperations.newMessages(count));
      sent.clear();
      way.enqueue(connection, QueueOperations.newMessages(count));
      List<Sent> sentByTheCall = List.copyOf(sent);
      connection.rollback();
      return sentByTheCall;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Tap recordedIn(List<Sent> sent) {
    return new Tap() {
      @Override
      public void before(Sent next, Connection real) {
        sent.add(next);
      }
    };
  }

  private static void assertNothingIsLeft(
      QueueDatabase database, Way way, int count, Injection injection) throws SQLException {
    database.clean();
    FaultTap tap = new FaultTap(injection);
    AtomicBoolean called = new AtomicBoolean();
    Tap onceCalled =
        new Tap() {
          @Override
          public void before(Sent next, Connection real) throws SQLException {
            if (called.get()) {
              tap.before(next, real);
            }
          }
        };
    try (Connection connection = open(database, onceCalled)) {
      PRODUCER.enqueue(connection, NewMessage.of("before", "the call"));
      called.set(true);
      EnqueueException refused =
          catchThrowableOfType(
              EnqueueException.class,
              () -> way.enqueue(connection, QueueOperations.newMessages(count)));
      assertThat(tap.strikes()).isEqualTo(1);
      assertThat(refused).hasMessageContaining(count + " messages were not enqueued");
      assertThat(Errors.sql(refused).getErrorCode()).isEqualTo(injection.fault().code());
      connection.commit();
    }
    assertThat(database.strings("SELECT topic FROM queue_message"))
        .isEqualTo(injection.fault() == Fault.DEADLOCK ? List.of() : List.of("before"));
  }

  private static Connection open(QueueDatabase database, Tap tap) throws SQLException {
    DataSource tapped = TappedConnections.over(database.dataSource(), tap);
    Connection connection = tapped.getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  /** What a caller has. */
  private enum Way {
    CONNECTION {
      @Override
      void enqueue(Connection connection, List<NewMessage> messages) {
        PRODUCER.enqueueAll(connection, messages);
      }
    },

    DSL_CONTEXT {
      @Override
      void enqueue(Connection connection, List<NewMessage> messages) {
        Jooq.inTransaction(
            JooqSettings.dsl(connection, ServerDialect.MYSQL),
            own -> PRODUCER.enqueueAll(own, messages));
      }
    };

    abstract void enqueue(Connection connection, List<NewMessage> messages);

    @Override
    public String toString() {
      return this == CONNECTION ? "Connection" : "DSLContext";
    }
  }
}
