package io.rowqueue.tests.process;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.tests.process.Step.What;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;

/** A program that is killed while it produces. */
public final class Program {

  public static final int PRODUCED = 3;

  public static final String SCHEDULE = "nightly";

  public static final String SOURCE = "published";

  private Program() {}

  /** As a team writes it: its own connection, its own transaction, its own COMMIT. */
  public static void main(String[] arguments) throws SQLException {
    KillProbe probe = KillProbe.ofEnvironment();
    try (Connection connection = DriverManager.getConnection(arguments[0])) {
      connection.setAutoCommit(false);
      if (arguments[1].equals("publish")) {
        book(connection, publish(connection));
        commit(connection, probe, Transition.PUBLISH);
      } else {
        book(
            connection,
            MessageProducer.create()
                .enqueueAll(connection, Collections.nCopies(PRODUCED, message(Step.TOPIC))));
        commit(connection, probe, Transition.ENQUEUE);
      }
    }
  }

  private static NewMessage message(String topic) {
    return NewMessage.of(topic, new Step(What.SUCCEED));
  }

  private static Collection<MessageId> publish(Connection connection) {
    return MessageProducer.create()
        .publish(connection, message(SOURCE))
        .requireCopies()
        .copies()
        .values();
  }

  private static void book(Connection connection, Collection<MessageId> ids) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO enqueued (message_id) VALUES (?)")) {
      for (MessageId id : ids) {
        insert.setLong(1, id.value());
        insert.execute();
      }
    }
  }

  private static void commit(Connection connection, KillProbe probe, Transition transition)
      throws SQLException {
    probe.beforeCommit(transition);
    connection.commit();
    probe.afterCommit(transition);
  }
}
