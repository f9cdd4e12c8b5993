package io.rowqueue.internal.subscribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.BackPressure;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import io.rowqueue.TopicFullException;
import io.rowqueue.handler.SubscriptionBinder;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.seal.Keysets;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.SubscriptionDetails;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class FanOutIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String PLACED = "order.placed";
  private static final Topic EMAIL = new Topic("email");
  private static final Topic STOCK = new Topic("stock");
  private static final String MESSAGES = "SELECT COUNT(*) FROM queue_message";
  private static final int MANY = 10_000;

  private final QueueDatabase database;
  private final Subscriptions subscriptions;
  private final MessageProducer producer = MessageProducer.create();

  FanOutIT(QueueDatabase database) {
    this.database = database;
    this.subscriptions = QueueOperations.of(database.dataSource()).subscriptions();
  }

  @BeforeEach
  void subscribe() {
    subscriptions.subscribe(PLACED, STOCK.name());
    subscriptions.subscribe(PLACED, EMAIL.name());
  }

  /** A team's pool may have a timeout of its own, and gets its connections back with it. */
  @Test
  void change_leavesTheSessionsLockWaitTimeoutAsItWas() throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setMaximumPoolSize(1);
    config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 7");
    try (HikariDataSource pool = new HikariDataSource(config)) {
      QueueOperations.of(pool).subscriptions().subscribe(PLACED, "invoice");
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT @@SESSION.innodb_lock_wait_timeout")) {
        row.next();
        assertThat(row.getInt(1)).isEqualTo(7);
      }
    }
  }

  private static NewMessage placed(int number) {
    return NewMessage.of(PLACED, new Order(number));
  }

  private static List<NewMessage> many() {
    return IntStream.range(0, MANY).mapToObj(FanOutIT::placed).toList();
  }

  @Test
  void publish_watched_tellsOfWhatReachesNobody() throws SQLException {
    List<String> told = new ArrayList<>();
    MessageProducer watched = producer.reportingTo((source, many) -> told.add(source + " " + many));
    NewMessage quiet = NewMessage.of("quiet", "p");
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      var unused = watched.publishAll(connection, List.of(placed(1), quiet, quiet));
    }
    var unused = watched.publish(database.dataSource(), quiet);
    assertThat(watched.enqueue(database.dataSource(), quiet)).isNotNull();
    assertThat(told).containsExactly("quiet 2", "quiet 1");
  }

  @Test
  void publish_nothing_asksNobody() {
    assertThat(producer.publishAll(database.dataSource(), List.of()).all()).isEmpty();
  }

  @Test
  void subscribe_noTopic_isRefused() {
    assertThatThrownBy(() -> subscriptions.subscribe(PLACED, ""))
        .isInstanceOf(InvalidMessageException.class);
    assertThatThrownBy(() -> subscriptions.subscribe("a ", "b"))
        .isInstanceOf(InvalidMessageException.class);
  }

  @Test
  void copies_notPublishedAgain_andASourceMayBeATopic() {
    subscriptions.subscribe(PLACED, PLACED);
    subscriptions.subscribe("email", PLACED);
    assertThat(producer.publish(database.dataSource(), placed(1)).copies().keySet())
        .containsExactly(EMAIL, new Topic(PLACED), STOCK);
    assertThat(database.count(MESSAGES)).isEqualTo(3);
  }

  @Test
  void publish_ofTenThousandToTwo_allAtOnceOrNotAtAll() throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      Publications rolledBack = producer.publishAll(connection, many());
      assertThat(rolledBack.copies()).isEqualTo(2 * MANY);
      assertThat(database.count(MESSAGES)).isZero();
      connection.rollback();
      assertThat(database.count(MESSAGES)).isZero();

      Publications made = producer.publishAll(connection, many()).requireCopies();
      connection.commit();
      assertThat(made.all()).hasSize(MANY);
      MessageId last = made.all().get(MANY - 1).copies().get(STOCK);
      assertThat(database.strings("SELECT payload FROM queue_message WHERE id = " + last))
          .containsExactly("{\"number\":%d}".formatted(MANY - 1));
    }
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', topic, COUNT(*), COUNT(DISTINCT payload)) FROM queue_message"
                    + " GROUP BY topic ORDER BY topic"))
        .containsExactly("email 10000 10000", "stock 10000 10000");
  }

  @Test
  void publish_oneCopyExceedsTheLimits_noneIsWrittenAndTheTransactionGoesOn() throws SQLException {
    int backPressure = "{\"rowqueue-source\":\"order.placed\"}".length();
    MessageProducer narrow =
        MessageProducer.create(
            PayloadCodec.json(), MessageLimits.defaults().withHeadersBytes(backPressure));
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      producer.publish(connection, placed(1));
      assertThatThrownBy(
              () ->
                  narrow.publishAll(connection, List.of(placed(2), placed(3).withHeader("a", "b"))))
          .isInstanceOf(InvalidMessageException.class);
      connection.commit();
    }
    assertThat(database.count(MESSAGES)).isEqualTo(2);
  }

  @Test
  void publish_oneTopicRefuses_noneIsWritten() throws SQLException {
    database.execute(
        "INSERT INTO queue_topic (topic, max_depth) VALUES ('stock', 1)",
        "INSERT INTO queue_depth VALUES ('stock', 1, 7, 60, 1, UTC_TIMESTAMP(6))");
    BackPressure backPressure = BackPressure.over(database.dataSource());
    MessageProducer refusing = producer.rejectingWhenFull(backPressure);
    assertThatThrownBy(() -> refusing.publish(database.dataSource(), placed(1)))
        .isInstanceOf(TopicFullException.class)
        .hasMessageContaining("stock");
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      producer.publish(connection, placed(2));
      assertThatThrownBy(() -> refusing.publish(connection, placed(3)))
          .isInstanceOf(TopicFullException.class);
      assertThatThrownBy(
              () -> producer.blockingWhenFull(backPressure, SOON).publish(connection, placed(4)))
          .isInstanceOf(IllegalStateException.class);
      connection.commit();
    }
    assertThat(database.count(MESSAGES)).isEqualTo(2);
    subscriptions.pause(PLACED, "stock");
    assertThat(refusing.publish(database.dataSource(), placed(5)).copies()).containsOnlyKeys(EMAIL);
  }

  @Test
  void publish_connectionThatCommitsByItself_isRefused() throws SQLException {
    try (Connection connection = database.connect()) {
      assertThatThrownBy(() -> producer.publish(connection, placed(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("setAutoCommit(false)");
    }
    assertThat(database.count(MESSAGES)).isZero();
  }

  @Test
  void publish_bySql_copiesIntoWhatIsSubscribed() throws SQLException {
    subscriptions.pause(PLACED, "stock");
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT source FROM queue_publication_lock WHERE source = 'order.placed' LOCK IN SHARE"
              + " MODE");
      statement.execute(
          "INSERT INTO queue_message (topic, headers, payload)"
              + " SELECT topic, '{\"rowqueue-source\":\"order.placed\"}',"
              + " CAST('{\"number\":1}' AS BINARY) FROM queue_subscription"
              + " WHERE source = 'order.placed' AND paused = 0");
      connection.commit();
    }
    assertThat(database.strings("SELECT CONCAT(topic, payload) FROM queue_message"))
        .containsExactly("email{\"number\":1}");
  }

  @Test
  void copies_sealedForTheirTopics_areEachReadInTheirsOnly() {
    Sealed sealed = Sealed.with(Keysets.fresh());
    Wrapping wrapping = Wrapping.none().forTopic("email", sealed).forTopic("stock", sealed);
    subscriptions.subscribe(PLACED, "plain");
    Publication made = producer.wrapping(wrapping).publish(database.dataSource(), placed(4711));
    assertThat(made.copies()).hasSize(3);
    assertThat(database.strings("SELECT topic FROM queue_message WHERE payload LIKE '%4711%'"))
        .containsExactly("plain");
    assertThat(database.count("SELECT COUNT(DISTINCT payload) FROM queue_message"))
        .as("bytes that differ")
        .isEqualTo(3);

    Map<String, Integer> handled = new ConcurrentHashMap<>();
    Module[] handlers = {
      recording("email", handled),
      recording("stock", handled),
      recording("plain", handled),
      binder -> WrapperBinder.allow(binder, sealed)
    };
    try (TestWorker worker = TestWorker.start(database, config -> config, handlers)) {
      Await.that("all are handled", SOON, () -> handled.size() == 3);
    }
    assertThat(handled).isEqualTo(Map.of("email", 4711, "stock", 4711, "plain", 4711));

    // The seal names the topic that it was made for: in another one it is not opened.
    Publication moved = producer.wrapping(wrapping).publish(database.dataSource(), placed(1));
    database.execute(
        "UPDATE queue_message m JOIN queue_message e ON e.topic = 'email' AND m.topic = 'stock'"
            + " SET m.payload = e.payload");
    handled.clear();
    try (TestWorker worker = TestWorker.start(database, config -> config, handlers)) {
      Await.that("the others are handled", SOON, () -> handled.size() == 2);
    }
    assertThat(handled).containsOnlyKeys("email", "plain");
    assertThat(moved.copies()).containsKey(STOCK);
  }

  private static Module recording(String topic, Map<String, Integer> handled) {
    return Handlers.bind(topic, (order, context) -> handled.put(topic, order.number()));
  }

  @Test
  void start_addsWhatIsMissing_andChangesNothingThatIsThere() {
    Module[] declaring = {
      Handlers.bind("stock", (order, context) -> {}),
      binder -> SubscriptionBinder.bind(binder, PLACED, "audit"),
      binder -> SubscriptionBinder.bind(binder, PLACED, "audit"),
      binder -> SubscriptionBinder.bind(binder, PLACED, "email")
    };
    subscriptions.pause(PLACED, "email");
    TestWorker.start(database, config -> config, declaring).close();
    List<String> versions = database.strings("SELECT version FROM queue_publication_lock");
    assertThat(subscriptions.list())
        .containsExactly(
            new SubscriptionDetails(PLACED, "audit", false),
            new SubscriptionDetails(PLACED, "email", true),
            new SubscriptionDetails(PLACED, "stock", false));
    TestWorker.start(database, config -> config, declaring).close();
    TestWorker.start(database, Handlers.bind("stock", (order, context) -> {})).close();
    assertThat(database.strings("SELECT version FROM queue_publication_lock"))
        .as("a start that finds all of it writes nothing")
        .isEqualTo(versions);
    assertThat(subscriptions.list()).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void publish_whereNothingOfItIsUsed_enqueueIsAsBefore(boolean bulk) {
    List<NewMessage> messages = Collections.nCopies(bulk ? 3 : 1, placed(1));
    producer.enqueueAll(database.dataSource(), messages);
    assertThat(
            database.strings("SELECT DISTINCT CONCAT_WS(' ', topic, headers) FROM queue_message"))
        .isEqualTo(Arrays.asList(PLACED));
  }
}
