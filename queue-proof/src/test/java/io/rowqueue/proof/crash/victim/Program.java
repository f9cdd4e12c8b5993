package io.rowqueue.proof.crash.victim;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.database.ServerDialect;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.crash.victim.Step.What;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/** A team's own program that is killed while it produces, or while it brings back dead letters. */
public final class Program {

  /** How many messages the producer enqueues in its transaction. */
  public static final int PRODUCED = 3;

  private Program() {}

  /**
   * Runs it.
   *
   * @param arguments the JDBC URL, and {@code produce} or {@code redrive}
   */
  public static void main(String[] arguments) throws SQLException {
    KillProbe probe = KillProbe.ofEnvironment();
    try (Connection connection = DriverManager.getConnection(arguments[0])) {
      if (arguments[1].equals("produce")) {
        produce(connection, probe);
      } else {
        redrive(arguments[0], connection, probe);
      }
    }
  }

  /** As a team writes it: its own connection, its own transaction, its own COMMIT. */
  private static void produce(Connection connection, TransactionProbe probe) throws SQLException {
    connection.setAutoCommit(false);
    DSLContext dsl = Transactions.dsl(connection, ServerDialect.of(connection));
    List<MessageId> ids =
        MessageProducer.create()
            .enqueueAll(
                connection,
                Collections.nCopies(PRODUCED, NewMessage.of(Step.TOPIC, new Step(What.SUCCEED))));
    for (MessageId id : ids) {
      dsl.execute("INSERT INTO enqueued (message_id) VALUES (?)", id.value());
    }
    probe.beforeCommit(Transition.ENQUEUE);
    connection.commit();
    probe.afterCommit(Transition.ENQUEUE);
  }

  private static DataSource dataSource(String url) {
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(url);
    return dataSource;
  }

  private static void redrive(String url, Connection connection, TransactionProbe probe) {
    Injector injector =
        Guice.createInjector(new QueueCoreModule(), new CoreSurroundings(dataSource(url), probe));
    long id =
        Transactions.dsl(connection, SQLDialect.MYSQL)
            .fetchOptional("SELECT id FROM queue_dead_letter")
            .orElseThrow()
            .get(0, Long.class);
    injector.getInstance(DeadLetters.class).redrive(new MessageId(id));
  }
}
