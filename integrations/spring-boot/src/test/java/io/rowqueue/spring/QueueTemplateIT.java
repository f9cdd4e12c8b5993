package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.EnqueueException;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.spring.shop.ShopApplication;
import io.rowqueue.spring.shop.ShopApplication.Placed;
import io.rowqueue.spring.shop.ShopApplication.PlacedInAnother;
import io.rowqueue.spring.shop.Writer;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Enqueuing in an application whose pool has one connection: a second one would never come. */
@QueueTest
class QueueTemplateIT {

  private static ConfigurableApplicationContext context;

  private QueueTemplate queue;
  private Writer writer;
  private TransactionTemplate transaction;

  @BeforeAll
  static void start(QueueDatabase database) {
    database.execute(Applications.ITEM);
    context =
        Applications.start(
            database,
            ShopApplication.class,
            1,
            "rowqueue.worker.enabled=false",
            "rowqueue.schema=validate",
            "spring.jackson.property-naming-strategy=SNAKE_CASE");
  }

  @BeforeEach
  void clean(QueueDatabase database) {
    database.execute("DELETE FROM item");
    queue = context.getBean(QueueTemplate.class);
    writer = context.getBean(Writer.class);
    transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  @AfterEach
  void everyConnection_isReturned() {
    // The notification has a connection for a moment, on a thread of its own.
    Await.that(
        "no connection is borrowed",
        Duration.ofSeconds(10),
        () -> Applications.borrowed(context) == 0);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @ParameterizedTest
  @EnumSource
  void enqueue_inATransaction_commitsWithIt(Writer.Way way, QueueDatabase database) {
    transaction.executeWithoutResult(
        status -> {
          writer.write(way, "a");
          queue.enqueue("order.placed", "a");
          queue.enqueueAll(List.of(NewMessage.of("order.placed", "b")));
          assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
        });
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(2);
    assertThat(database.count("SELECT COUNT(*) FROM item")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void enqueue_inATransactionThatRollsBack_neverWas(Writer.Way way, QueueDatabase database) {
    transaction.executeWithoutResult(
        status -> {
          queue.enqueue("order.placed", "a");
          writer.write(way, "a");
          status.setRollbackOnly();
        });
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM item")).isZero();
  }

  @Test
  void enqueue_inATransactionOfJdbc_commitsWithIt(QueueDatabase database) {
    TransactionTemplate jdbc =
        new TransactionTemplate(new JdbcTransactionManager(context.getBean(DataSource.class)));
    jdbc.executeWithoutResult(
        status -> {
          queue.enqueue("order.placed", "a");
          status.setRollbackOnly();
        });
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    jdbc.executeWithoutResult(status -> queue.enqueue("order.placed", "a"));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
  }

  @Test
  void enqueue_outsideATransaction_hasCommitted(QueueDatabase database) {
    MessageId id = queue.enqueue("order.placed", "a");
    assertThat(database.count("SELECT id FROM queue_message")).isEqualTo(id.value());
  }

  @Test
  void publish_inATransaction_commitsWithIt(QueueDatabase database) {
    QueueOperations.of(database.dataSource()).subscriptions().subscribe("placed", "mail");
    transaction.executeWithoutResult(
        status -> {
          queue.publish("placed", "a");
          assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
        });
    assertThat(database.strings("SELECT topic FROM queue_message")).containsExactly("mail");
  }

  @Test
  void enqueue_afterTheCommit_hasATransactionOfItsOwn(QueueDatabase database) {
    transaction.executeWithoutResult(status -> context.publishEvent(new Placed("order.placed")));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
  }

  @Test
  void enqueue_afterTheRollback_hasATransactionOfItsOwn(QueueDatabase database) {
    transaction.executeWithoutResult(
        status -> {
          context.publishEvent(new Placed("order.placed"));
          status.setRollbackOnly();
        });
    assertThat(database.strings("SELECT CONVERT(payload USING utf8mb4) FROM queue_message"))
        .containsExactly("\"rolled-back\"");
  }

  /** Spring says nothing of the commit to a callback that is the first to enqueue. */
  @Test
  void enqueue_inACallbackAfterTheCommit_hasATransactionOfItsOwn(QueueDatabase database) {
    List<Long> seen = new ArrayList<>();
    transaction.executeWithoutResult(
        status ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void afterCommit() {
                    queue.enqueue("order.placed", "a");
                    seen.add(database.count("SELECT COUNT(*) FROM queue_message"));
                  }
                }));
    assertThat(seen).containsExactly(1L);
  }

  @Test
  void enqueue_thatIsRefusedAfterTheCommit_leavesNothing(QueueDatabase database) {
    String tooLong = "x".repeat(20 << 20);
    transaction.executeWithoutResult(
        status ->
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void afterCommit() {
                    assertThatThrownBy(() -> queue.enqueue("order.placed", tooLong))
                        .isInstanceOf(RuntimeException.class);
                  }
                }));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  @Test
  void enqueue_inANewTransactionAfterTheCommit_needsTwoConnections(QueueDatabase database) {
    var pool = context.getBean(HikariDataSource.class).getHikariConfigMXBean();
    pool.setMaximumPoolSize(2);
    try {
      transaction.executeWithoutResult(
          status -> context.publishEvent(new PlacedInAnother("order.placed")));
    } finally {
      pool.setMaximumPoolSize(1);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
  }

  @Test
  void enqueue_inATransactionThatOnlyReads_isRefused(QueueDatabase database) {
    TransactionTemplate reading =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    reading.setReadOnly(true);
    assertThatThrownBy(
            () -> reading.executeWithoutResult(status -> queue.enqueue("order.placed", "a")))
        .isInstanceOf(EnqueueException.class);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  @Test
  void enqueue_afterTheCommitOfATransactionThatOnlyReads_hasOneOfItsOwn(QueueDatabase database)
      throws Exception {
    TransactionTemplate reading =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    reading.setReadOnly(true);
    reading.executeWithoutResult(
        status -> {
          context.getBean(JdbcTemplate.class).queryForList("SELECT COUNT(*) FROM item");
          context.publishEvent(new Placed("order.placed"));
        });
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
    try (Connection connection = context.getBean(DataSource.class).getConnection()) {
      assertThat(connection.isReadOnly()).isFalse();
      assertThat(connection.getAutoCommit()).isTrue();
    }
  }

  @Test
  void enqueue_afterTheCommit_leavesTheConnectionAsItWas(QueueDatabase database) throws Exception {
    transaction.executeWithoutResult(status -> context.publishEvent(new Placed("order.placed")));
    try (Connection connection = context.getBean(DataSource.class).getConnection()) {
      assertThat(connection.getAutoCommit()).isTrue();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
  }

  /** A payload whose JSON depends on the application's settings. */
  record Customer(String firstName, LocalDate bornOn) {}

  @Test
  void payload_isWrittenByTheApplicationsMapper(QueueDatabase database) {
    queue.enqueue("customer.created", new Customer("Ada", LocalDate.of(1815, 12, 10)));
    assertThat(database.strings("SELECT CONVERT(payload USING utf8mb4) FROM queue_message"))
        .containsExactly("{\"first_name\":\"Ada\",\"born_on\":\"1815-12-10\"}");
  }
}
