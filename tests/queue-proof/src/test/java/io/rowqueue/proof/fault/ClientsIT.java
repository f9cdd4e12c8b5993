package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Schedules;
import io.rowqueue.proof.fault.plugin.Action;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.proof.fault.plugin.Timetable;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestServer;
import io.rowqueue.tests.TestWorker;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientsIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Behind the poll with which a wait begins, and before the next. */
  private static final int HANDLED_MILLIS = 700;

  private final AtomicLong numbers = new AtomicLong();
  private final RandomGenerator random = Client.seeded(1);
  private static QueueDatabase database;
  @TempDir private Path folder;

  @BeforeAll
  static void open() {
    database = QueueDatabase.create();
    Ledger.create(database);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void clean() {
    InvariantIT.clean(database);
    KeyClients.prepare(database);
  }

  private static List<String> broken() {
    return Invariant.findings(database, Invariant.Kind.BROKEN).values().stream()
        .flatMap(List::stream)
        .toList();
  }

  /** But for lost ones: here nobody handles what is enqueued. */
  private static List<String> brokenKeys() {
    return Invariant.findings(database, Invariant.Kind.BROKEN).entrySet().stream()
        .filter(each -> each.getKey().startsWith("keyed"))
        .flatMap(each -> each.getValue().stream())
        .toList();
  }

  private static Set<String> notExercised() {
    return Invariant.findings(database, Invariant.Kind.NOT_EXERCISED).keySet();
  }

  private Cluster cluster() throws IOException {
    return new Cluster(
        Cluster.Server.at(TestServer.shared().url(), null), Scenario.MIXED, List.of(), folder);
  }

  @Test
  void batchesAndChains_areCancelled_andTheAnswersWritten() throws Exception {
    try (Cluster cluster = cluster()) {
      BatchClients.Canceller canceller = new BatchClients.Canceller(cluster, Workload.Mix.USUAL, 1);
      canceller.cancelSome();
      canceller.cancelSome();
      QueueDatabase queue = cluster.database();
      assertThat(queue.strings("SELECT answered FROM cancelled_batch")).containsExactly("8", "8");
      assertThat(queue.strings("SELECT CONCAT(answered, ' ', steps) FROM cancelled_chain"))
          .containsExactly("1 0", "1 0");
      assertThat(queue.strings("SELECT topic FROM queue_message"))
          .containsExactly("fault.completed", "fault.completed");
      assertThat(queue.count("SELECT COUNT(*) FROM removed WHERE stays = 1")).isEqualTo(16);
    }
  }

  /** What moves a schedule on is written with it, whether it runs or is skipped. */
  @Test
  void schedules_areWrittenAsTheyMoveOn() {
    declareSchedules();
    database.execute(
        "UPDATE queue_schedule SET last_at = next_at, next_at = next_at + INTERVAL 1 MINUTE"
            + " WHERE name LIKE 'fault.cron.skip.%'",
        "UPDATE queue_schedule SET next_at = next_at + INTERVAL 1 SECOND"
            + " WHERE name = 'fault.second.once'",
        "UPDATE queue_schedule SET paused = 1");
    assertThat(database.strings("SELECT next_moment - moment FROM schedule_move WHERE ran = 1"))
        .hasSize(30)
        .containsOnly("60000000");
    assertThat(database.strings("SELECT next_moment - due FROM schedule_move WHERE ran = 0"))
        .containsExactly("1000000");
  }

  private static void declareSchedules() {
    Schedules schedules = QueueOperations.of(database.dataSource()).schedules();
    Timetable.all().forEach(schedule -> assertThat(schedules.declare(schedule)).isTrue());
  }

  /** No worker is there; what one would have moved on is written instead, of a moment to come. */
  @Test
  void schedulesThatStandStill_whenTheFaultsAreOver_areFound() {
    declareSchedules();
    database.execute("UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6) - INTERVAL 90 SECOND");
    FeatureClients.Pauser pauser = new FeatureClients.Pauser(database, 1);
    pauser.pauseAll();
    pauser.resumeAll();
    assertThat(standingStill(pauser)).contains("missed runs are made up for");
    String moves =
        "INSERT INTO schedule_move (schedule, due, moment, next_moment, moved_at, ran) VALUES"
            + " ('any', 1, %d, 3, 4102444800000000, %d)";
    database.execute(moves.formatted(1, 1));
    assertThat(standingStill(pauser)).contains("missed runs are made up for");
    database.execute(moves.formatted(2, 1));
    assertThat(standingStill(pauser)).contains("missed runs are skipped");
    database.execute(moves.formatted(1, 0));
    assertThat(standingStill(pauser)).contains("fault.second.once runs");
  }

  private static String standingStill(FeatureClients.Pauser pauser) {
    return String.join("; ", pauser.findings(Duration.ofMillis(200)));
  }

  /** How a requested cancellation ends is not known, whatever others are answered. */
  @Test
  void removal_thatWasRefused_isDeleted_butForOneThatWasRequestedOrGoesWithItsBatch() {
    database.execute(
        "INSERT INTO cancel_requested VALUES (1)",
        "INSERT INTO removed (message_id, stays) VALUES (3, 1)");
    for (int id = 1; id <= 3; id++) {
      Ledger.writeRemoval(database, new MessageId(id));
      Ledger.deleteRemoval(database, new MessageId(id));
    }
    assertThat(database.strings("SELECT message_id FROM removed")).containsExactly("1", "3");
  }

  /** Those that are written have seen no change meanwhile. */
  @Test
  void publications_areWrittenAsTheSubscriptionIs() throws Exception {
    FeatureClients.Subscriber subscriber =
        new FeatureClients.Subscriber(database, database.url(), 1);
    for (int turn = 0; turn < 3; turn++) {
      subscriber.publish();
      subscriber.change();
    }
    assertThat(database.strings("SELECT CONCAT(subscribed, ' ', copies) FROM published"))
        .as("those of before the first change are not known")
        .containsExactly("1 1", "0 0");
    assertThat(broken()).isEmpty();
  }

  @Test
  void streams_areWritten_andNothingOfThemIsLeft() throws Exception {
    FileBodyStore store = FileBodyStore.in(folder);
    FeatureClients.Streamer streamer = new FeatureClients.Streamer(database.url(), store, 1);
    for (int turn = 0; turn < 6; turn++) {
      streamer.stream();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(4);
    assertThat(
            database.strings(
                "SELECT CONCAT(s.place, ' ', COALESCE(SUM(LENGTH(b.bytes)), MAX(o.bytes)) ="
                    + " s.length) FROM streamed s"
                    + " LEFT JOIN queue_payload_chunk b ON b.message_id = s.message_id"
                    + " LEFT JOIN queue_payload_ref o ON o.message_id = s.message_id"
                    + " GROUP BY s.message_id, s.place, s.length ORDER BY s.message_id"))
        .containsExactly("FILES 1", "ROWS 1", "ROWS 1", "FILES 1");
    assertThat(broken()).isEmpty();
    assertThat(FeatureClients.sweepPayloads(database, store)).isEmpty();
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) SELECT id, 1, 1 FROM queue_message",
        "INSERT INTO streamed_effect SELECT message_id, length, digest FROM streamed",
        "DELETE FROM queue_message");
    assertThat(FeatureClients.sweepPayloads(database, store)).isEmpty();
    assertThat(broken()).isEmpty();
    assertThat(notExercised()).noneMatch(name -> name.contains("stream"));
  }

  /** A chunk without a first one, a row of another store, and a row without its file. */
  @Test
  void payloadsThatNoSweepTakes_areFound() throws Exception {
    FileBodyStore store = FileBodyStore.in(folder);
    String gone = store.write(new ByteArrayInputStream(new byte[1]));
    store.delete(gone);
    database.execute(
        "INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes) VALUES (1, 1, 1, 'x')",
        "INSERT INTO queue_message (id, topic, payload) VALUES (3, 'fault.alone', '')",
        "INSERT INTO queue_payload_ref (message_id, store, reference, bytes, sha256) VALUES"
            + " (2, 'other', 'none', 1, REPEAT('x', 32)),"
            + " (3, 'files', '%s', 1, REPEAT('x', 32))".formatted(gone));
    assertThat(FeatureClients.sweepPayloads(database, store))
        .containsExactlyInAnyOrder(
            "a row refers to no payload: none", "a row refers to no payload: " + gone);
    assertThat(broken())
        .contains(
            "message 1 is gone, and its payload is left",
            "message 2 is gone, and its payload is left");
  }

  @Test
  void awaitingInVain_isFound() {
    try (FeatureClients.Asker asker = new FeatureClients.Asker(database, database.url(), 1)) {
      assertThat(asker.findings(Duration.ZERO, Duration.ZERO))
          .containsExactly(
              "the faults are over, and an awaited result is not answered",
              "the faults are over, and no notification ends a wait");
    }
    assertThat(database.strings("SELECT outcome FROM awaited"))
        .containsExactly("TIMEOUT", "TIMEOUT");
    assertThat(database.strings("SELECT message_id FROM enqueued ORDER BY message_id"))
        .as("written by the client that enqueued it")
        .isEqualTo(database.strings("SELECT id FROM queue_message ORDER BY id"));
  }

  /** Answered by the next poll, since workers notify a connection that does not exist. */
  @Tag("ci")
  @Test
  void waitsThatNoNotificationEnds_areFound() {
    try (TestWorker worker = answering();
        FeatureClients.Asker asker = new FeatureClients.Asker(database, database.url(), 1)) {
      database.execute(
          "CREATE TRIGGER deaf BEFORE INSERT ON queue_result_listener FOR EACH ROW"
              + " SET NEW.listener_connection = 0");
      assertThat(asker.findings(SOON, Duration.ofSeconds(3)))
          .containsExactly("the faults are over, and no notification ends a wait");
      database.execute("DROP TRIGGER deaf");
      assertThat(asker.findings(SOON, SOON)).isEmpty();
    }
  }

  /** Handles once the client waits: its poll behind the row of its wait finds nothing. */
  private static TestWorker answering() {
    return TestWorker.start(
        database,
        LambdaHandlers.bindResult(
            FaultTopics.RESULT,
            Action.class,
            (action, context) -> {
              Await.until(
                  "the client waits",
                  SOON,
                  () -> database.count("SELECT COUNT(*) FROM queue_result_listener"),
                  count -> count > 0);
              Client.pause(HANDLED_MILLIS);
              return context.claimNumber();
            },
            HandlerSettings.defaults().withResults(Duration.ofHours(1))));
  }

  @Test
  void offers_areWrittenAsTheyAreAnswered_whetherTheHolderWaitsIsClaimedOrIsOver()
      throws Exception {
    KeyClients.Repeater repeater = repeater();
    enqueueAllWithResults(repeater);
    database.execute(
        "UPDATE queue_message SET state = 1, lock_id = 'x', claim_number = claim_number + 1");
    enqueueAllWithResults(repeater);
    assertThat(onlyClaimedAreLeft(FaultTopics.KEYED_ALIVE)).isTrue();
    assertThat(onlyClaimedAreLeft(FaultTopics.KEYED_WAITING)).isFalse();
    settleAll();
    enqueueAllWithResults(repeater);
    settleAll();
    assertThat(broken()).isEmpty();
    assertThat(notExercised())
        .noneMatch(name -> name.contains("fault.keyed") || name.contains("REPEATABLE READ"));
  }

  /** What is offered to check that is found itself, as long as nobody has handled it. */
  @Test
  void keysThatAreHeldWhenNothingIsLeft_areFound() throws Exception {
    KeyClients.Repeater repeater = repeater();
    assertThat(repeater.findings()).isEmpty();
    assertThat(repeater.findings())
        .hasSize(10)
        .first()
        .asString()
        .matches("the queue is empty, and \\d+ holds a key of fault.keyed.alive");
    settleAll();
    assertThat(repeater.findings()).isEmpty();
    settleAll();
    assertThat(broken()).isEmpty();
    assertThat(notExercised()).noneMatch(name -> name.contains("fault.keyed"));
  }

  @Test
  void refusal_leavesWhatElseIsInItsTransaction_andNothingOfItsCall() throws Exception {
    offer(FaultTopics.KEYED_REFUSED, "new");
    for (int time = 0; time < 10; time++) {
      assertThat(offer(FaultTopics.KEYED_REFUSED, "new")).containsExactly(KeyClients.REFUSED);
    }
    assertThat(database.strings("SELECT id FROM queue_message ORDER BY id"))
        .hasSizeGreaterThan(11)
        .isEqualTo(database.strings("SELECT message_id FROM enqueued ORDER BY message_id"));
    assertThat(broken()).isEmpty();
  }

  @Test
  void keyThatIsNewToTwo_isThatOfTheFirst() throws Exception {
    String exercised = "new keys that two producers offered at one time";
    try (KeyClients.Call first = call(FaultTopics.KEYED_ALIVE, "a-new-1", false);
        KeyClients.Call second = call(FaultTopics.KEYED_ALIVE, "a-new-1", false)) {
      first.begin();
      second.begin();
      assertThat(notExercised()).contains(exercised);
      assertThat(offer(first)).containsExactly("INSERTED");
      assertThat(offer(second)).containsExactly("DUPLICATE");
    }
    assertThat(notExercised()).doesNotContain(exercised);
    assertThat(broken()).isEmpty();
  }

  /** The rows of keys are made to forget which messages hold them. */
  @Test
  void newMessage_concurrentWithTheHolderOfItsKey_isFoundInEitherIsolation() throws Exception {
    for (boolean inSnapshot : List.of(false, true)) {
      for (String topic : List.of(FaultTopics.KEYED_ALIVE, FaultTopics.KEYED_WAITING)) {
        for (int time = 0; time < 2; time++) {
          try (KeyClients.Call call = call(topic, topic + inSnapshot, inSnapshot)) {
            call.begin();
            assertThat(offer(call)).containsExactly("INSERTED");
          }
          database.execute("UPDATE queue_deduplication SET message_id = NULL");
        }
      }
    }
    assertThat(brokenKeys()).hasSize(4).allMatch(each -> each.contains(" came while "));
  }

  private List<String> offer(String topic, String key) throws Exception {
    try (KeyClients.Call call = call(topic, key, false)) {
      call.begin();
      return offer(call);
    }
  }

  private static KeyClients.Call call(String topic, String key, boolean inSnapshot)
      throws Exception {
    return KeyClients.Call.open(
        database.url(), inSnapshot, List.of(new KeyClients.Offered(topic, key, 1)));
  }

  private List<String> offer(KeyClients.Call call) throws Exception {
    call.offer(MessageProducer.create(), random);
    call.commit();
    return call.answers().stream().map(KeyClients.Answer::outcome).toList();
  }

  private KeyClients.Repeater repeater() {
    return new KeyClients.Repeater(
        database.url(), () -> OptionalLong.of(numbers.incrementAndGet()), true, 1);
  }

  /** Each key of each topic is offered, and most of them more than once. */
  private static void enqueueAllWithResults(KeyClients.Repeater repeater) throws Exception {
    for (int turn = 0; turn < 40; turn++) {
      repeater.offer();
    }
  }

  /** Whether the only messages under old keys of {@code topic} are those that are claimed. */
  private static boolean onlyClaimedAreLeft(String topic) {
    return database
        .strings(
            "SELECT DISTINCT m.state FROM queue_message m JOIN keyed k ON k.message_id = m.id"
                + " WHERE k.topic = '%s' AND k.dedup_key NOT LIKE '%%-new-%%'".formatted(topic))
        .equals(List.of("1"));
  }

  /** As handlers do, each with the content that it was given. */
  private static void settleAll() {
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) SELECT id, claim_number, 1 FROM queue_message"
            + " ORDER BY id",
        "INSERT INTO keyed_effect SELECT id, CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(CONVERT(payload"
            + " USING utf8mb4), '\"filler\":\"', -1), '\"', 1) AS SIGNED) FROM queue_message"
            + " WHERE topic LIKE 'fault.keyed%'",
        "DELETE FROM queue_message");
  }
}
