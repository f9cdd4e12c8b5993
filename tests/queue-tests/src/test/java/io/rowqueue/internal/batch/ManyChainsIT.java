package io.rowqueue.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.HandlingMode;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
class ManyChainsIT {

  /** More than one statement takes, and no multiple of it. */
  private static final int MANY = 430;

  private static final List<String> TABLES =
      List.of("queue_message", "queue_chain", "queue_chain_step");

  private static final String CHAINS = "SELECT COUNT(*) FROM queue_chain";

  private final QueueDatabase database;
  private final Transactions transactions;
  private final ChainProducer producer = ChainProducer.over(MessageProducer.create());

  ManyChainsIT(QueueDatabase database) {
    this.database = database;
    this.transactions = Transactions.on(database.dataSource());
  }

  private static NewMessage step(String topic, Object payload) {
    return NewMessage.of(topic, payload);
  }

  private static Chain chain(int number) {
    Chain chain = Chain.of(step("t", number + ".0"));
    for (int i = 1; i <= number % 4; i++) {
      chain = chain.then(step("t", number + "." + i));
    }
    return chain;
  }

  private List<Long> begin(List<Chain> chains) {
    return transactions.run(
        Transition.CHAIN_BEGIN,
        tx -> chains.stream().map(chain -> producer.enqueue(tx.connection(), chain)).toList());
  }

  /** Of all messages that there are, in one transaction. */
  private void ackAll(Map<String, String> carried) {
    List<Long> members =
        database.strings("SELECT batch_id FROM queue_message").stream().map(Long::valueOf).toList();
    transactions.run(
        Transition.ACK,
        tx -> {
          tx.dsl().execute("DELETE FROM queue_message");
          BatchCounters.count(
              tx.dsl(), told -> members.forEach(member -> told.acked(member, carried)));
          return true;
        });
  }

  private List<String> messages() {
    return database.strings(
        "SELECT CONCAT_WS(' ', c.id, m.topic, m.priority, m.state, m.headers, m.payload)"
            + " FROM queue_chain c JOIN queue_message m ON m.id = c.message_id"
            + " AND m.batch_id = -c.id ORDER BY c.id");
  }

  @Test
  void ackedTogether_eachComesToItsOwnNextStep() {
    List<Long> ids =
        begin(
            List.of(
                Chain.of(step("t", 0)).then(step("a", 1).withPriority(7)).then(step("z", 9)),
                Chain.of(step("t", 0)).then(step("b", 2).withHeader("k", "v")),
                Chain.of(step("t", 0)),
                Chain.of(step("t", 0)).then(step("c", 3).withDelay(Duration.ofHours(1)))));
    ackAll(Map.of("from", "here"));
    assertThat(messages())
        .containsExactly(
            ids.get(0) + " a 7 0 {\"from\":\"here\"} 1",
            ids.get(1) + " b 0 0 {\"k\":\"v\",\"from\":\"here\"} 2",
            ids.get(3) + " c 0 2 {\"from\":\"here\"} 3");
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_message WHERE topic = 'c'"
                    + " AND due_at > UTC_TIMESTAMP() + INTERVAL 59 MINUTE"))
        .isEqualTo(1);
    assertThat(database.strings("SELECT topic FROM queue_chain_step")).containsExactly("z");
    ackAll(Map.of());
    ackAll(Map.of());
    assertThat(database.count(CHAINS)).isZero();
  }

  @Test
  void longSteps_goOnBesideShortOnes() {
    String film = "x".repeat(100_000);
    String manyHeaders = "h".repeat(16_000);
    begin(
        List.of(
            Chain.of(step("t", 0)).then(step("film", film)),
            Chain.of(step("t", 0)).then(step("short", 1)),
            Chain.of(step("t", 0)).then(step("header", 2).withHeader("h", manyHeaders))));
    ackAll(Map.of("from", "c".repeat(1_000)));
    assertThat(
            database.strings(
                "SELECT CONCAT(topic, ' ', LENGTH(payload), ' ', COALESCE(LENGTH(headers), 0)) FROM"
                    + " queue_message m JOIN queue_chain c ON c.message_id = m.id ORDER BY c.id"))
        .containsExactly("film 100002 1011", "short 1 1011", "header 1 17018");
    assertThat(database.count("SELECT COUNT(*) FROM queue_chain_step")).isZero();
  }

  @Test
  void moreThanAStatementTakes_allGoOn() {
    begin(IntStream.range(0, MANY).mapToObj(ManyChainsIT::chain).toList());
    for (int i = 1; i <= 3; i++) {
      ackAll(Map.of());
      int least = i;
      assertThat(messages())
          .hasSize((int) IntStream.range(0, MANY).filter(number -> number % 4 >= least).count())
          .allMatch(message -> message.endsWith("." + least + "\""));
    }
    ackAll(Map.of());
    assertThat(database.count(CHAINS)).isZero();
  }

  /**
   * What one transaction has locked another neither meets nor waits for; also where the server
   * believes that the tables are as good as empty, and would rather read them whole.
   */
  @Test
  void twoGroups_ofOtherChains_doNotMeet() throws SQLException {
    begin(IntStream.range(0, MANY).mapToObj(number -> chain(4 * number + 3)).toList());
    TABLES.forEach(this::believeEmpty);
    List<Long> chains =
        database.strings("SELECT id FROM queue_chain ORDER BY id").stream()
            .map(Long::valueOf)
            .toList();
    try (Connection one = connect();
        Connection other = connect()) {
      ack(one, chains, 0);
      ack(other, chains, 1);
      other.commit();
      one.commit();
    }
    assertThat(messages()).hasSize(MANY).allMatch(message -> message.endsWith(".1\""));
    TABLES.forEach(table -> database.execute("ANALYZE TABLE " + table));
  }

  private void believeEmpty(String table) {
    database.execute(
        "UPDATE mysql.innodb_table_stats SET n_rows = 0 WHERE database_name = '%s'"
                .formatted(database.name())
            + " AND table_name = '%s'".formatted(table),
        "FLUSH TABLES " + table);
  }

  private Connection connect() throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION innodb_lock_wait_timeout = 1");
    }
    return connection;
  }

  /** As if every second one's message were deleted. */
  private static void ack(Connection connection, List<Long> chains, int from) throws SQLException {
    BatchCounters members = BatchCounters.in(connection, null);
    for (int i = from; i < chains.size(); i += 2) {
      members.acked(-chains.get(i), Map.of());
    }
    members.write();
  }

  @Test
  void membersOfABatch_endTogether_andItsCompletionComes() {
    BatchProducer batches = BatchProducer.over(MessageProducer.create());
    MessageBatch batch =
        batches.open(
            database.dataSource(), BatchSettings.named("b").completingWith(step("done", 0)));
    for (int i = 0; i < 8; i++) {
      producer.add(database.dataSource(), batch, chain(i % 2));
    }
    batches.close(database.dataSource(), batch);
    ackAll(Map.of());
    assertThat(database.count(CHAINS)).isEqualTo(4);
    assertThat(database.count("SELECT SUM(acked) FROM queue_batch_shard")).isEqualTo(4);
    ackAll(Map.of());
    assertThat(database.strings("SELECT topic FROM queue_message")).containsExactly("done");
  }

  @ParameterizedTest
  @EnumSource(names = {"SHARED_COMMIT", "WITHOUT_TRANSACTION"})
  void handlers_ofManyChains_takeEachOnesStepsInTheirOrder(HandlingMode mode) {
    begin(IntStream.range(0, MANY).mapToObj(ManyChainsIT::chain).toList());
    Map<String, List<String>> seen = new ConcurrentHashMap<>();
    try (TestWorker worker =
        TestWorker.start(
            database,
            mode.bind(
                "t",
                String.class,
                (text, context) -> {
                  String[] parts = text.split("\\.", -1);
                  seen.computeIfAbsent(parts[0], first -> new CopyOnWriteArrayList<>())
                      .add(parts[1]);
                },
                HandlerSettings.defaults()))) {
      Orders.awaitCount(database, CHAINS, 0);
    }
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      List<String> steps = seen.getOrDefault(Integer.toString(i), List.of());
      if (!steps.equals(List.of("0", "1", "2", "3").subList(0, i % 4 + 1))) {
        wrong.add(i + " " + steps);
      }
    }
    assertThat(wrong).isEmpty();
  }
}
