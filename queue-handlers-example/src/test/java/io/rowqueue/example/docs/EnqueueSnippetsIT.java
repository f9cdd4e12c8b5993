package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Jooq;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.example.email.SendEmail;
import io.rowqueue.example.order.PlaceOrder;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ways to enqueue, as the documents show them. */
@QueueTest
class EnqueueSnippetsIT {

  private final PlaceOrder order = new PlaceOrder("o-1", "ada@example.org", "tea", 1);

  @BeforeEach
  void createTable(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS purchase (id VARCHAR(64) PRIMARY KEY)", "DELETE FROM purchase");
  }

  @Test
  void jdbc_committed_enqueuesInTheTransaction(QueueDatabase database) throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      // snippet: enqueue-jdbc
      MessageProducer producer = MessageProducer.create();
      producer.enqueue(
          connection,
          NewMessage.of("order.place", new PlaceOrder("o-1", "ada@example.org", "tea", 1)));
      connection.commit(); // now it will run; after a rollback it never existed
      // end snippet
    }
    assertThat(topics(database)).containsExactly("order.place");
  }

  @Test
  void jooq_committed_enqueuesInTheTransaction(QueueDatabase database) {
    DSLContext dsl = DSL.using(database.dataSource(), SQLDialect.MYSQL);
    MessageProducer producer = MessageProducer.create();
    dsl.transaction(
        configuration -> {
          DSLContext transaction = configuration.dsl();
          transaction.execute("INSERT INTO purchase (id) VALUES (?)", "o-1");
          Jooq.inTransaction(
              transaction,
              connection -> producer.enqueue(connection, NewMessage.of("order.place", order)));
        });
    assertThat(topics(database)).containsExactly("order.place");
    assertThat(database.count("SELECT COUNT(*) FROM purchase")).isEqualTo(1);
  }

  @Test
  void ring_afterATransactionOfOnesOwn_isSentWhereItSays(QueueDatabase database)
      throws SQLException {
    DataSource dataSource = database.dataSource();
    MessageProducer producer = MessageProducer.create();
    // snippet: enqueue-ring
    WorkerNotifier notifier = WorkerNotifier.over(dataSource); // thread-safe; make one and keep it
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      producer.enqueue(connection, NewMessage.of("order.place", order));
      connection.commit();
    }
    notifier.notifyWorkers("order.place"); // never before the commit
    // end snippet
    DSLContext dsl = DSL.using(dataSource, SQLDialect.MYSQL);
    dsl.configuration().set(Jooq.afterCommits(notifier));
    dsl.transaction(
        configuration ->
            Jooq.inTransaction(
                configuration.dsl(),
                connection -> producer.enqueue(connection, NewMessage.of("order.place", order))));
    assertThat(topics(database)).containsExactly("order.place", "order.place");
  }

  @Test
  void dataSource_manyMessages_enqueuesAllInOneTransaction(QueueDatabase database) {
    DataSource dataSource = database.dataSource();
    MessageProducer producer = MessageProducer.create();
    // snippet: enqueue-data-source
    producer.enqueueAll(
        dataSource,
        List.of(
            NewMessage.of("order.place", order).withPriority(-1).withHeader("tenant", "acme"),
            NewMessage.of("email.send", new SendEmail("ada@example.org", "Soon", "It is coming."))
                .withDelay(Duration.ofMinutes(5))));
    // end snippet
    assertThat(topics(database)).containsExactly("order.place", "email.send");
  }

  @Test
  void outbox_rolledBack_enqueuesNothing(QueueDatabase database) throws SQLException {
    OrderOutbox outbox = new OrderOutbox();
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      outbox.placed(connection, order);
      connection.rollback();
      outbox.placed(connection, order);
      connection.commit();
    }
    assertThat(topics(database)).containsExactly("order.place");
  }

  private static List<String> topics(QueueDatabase database) {
    return database.strings("SELECT topic FROM queue_message order BY id");
  }
}
