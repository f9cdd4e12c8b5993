package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.proof.fault.DeduplicationLedger.Answer;
import io.rowqueue.proof.fault.DeduplicationLedger.Keying;
import io.rowqueue.proof.fault.plugin.Keyed;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the harness would say of broken promises of keys, and what its producers book of them. */
class DeduplicationLedgerIT {

  private final AtomicLong numbers = new AtomicLong();
  private final RandomGenerator random = Plan.seeded(1);
  private final QueueDatabase database = QueueDatabase.create();
  private FeatureLedger features;

  @BeforeEach
  void open() {
    features = EmptyBooks.in(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void everyAnswer_thatIsWrongOnce_isFoundOnce() {
    enqueued(1, "a");
    enqueued(2, "w");
    enqueued(4, "a");
    keyed("alive", "a", 1, "INSERTED", "NULL, NULL, NULL");
    keyed("alive", "a", 3, "DUPLICATE", "NULL, NULL, 0");
    keyed("alive", "a", 1, "DUPLICATE", "1, NULL, NULL");
    keyed("waiting", "w", 2, "INSERTED", "NULL, NULL, NULL");
    keyed("waiting", "w", 2, "DUPLICATE", "NULL, NULL, 1");
    keyed("waiting", "w", 2, "DUPLICATE", "NULL, NULL, NULL");
    keyed("alive", "a", 4, "INSERTED", "NULL, 1, NULL");
    enqueued(5, "s");
    keyed("refused", "s", 5, "INSERTED", "NULL, NULL, NULL");
    keyed("refused", "s", 5, "REFUSED", "NULL, NULL, 1");
    keyed("refused", "s", 5, "REFUSED", "5, NULL, NULL");
    keyed("refused", "s", -1, "REFUSED", "NULL, NULL, NULL");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "offer 2 was answered with message 3, which is none of a",
            "offer 3 of a was answered with message 1, and 1 was gone",
            "offer 5 of w was answered with message 2, which does not wait but is in state 1",
            "offer 6 of w was answered with message 2, which does not wait but is in state gone",
            "message 4 of a came while 1 held the key",
            "offer 10 of s was answered with message 5, and 5 was gone",
            "offer 11 was answered with message -1, which is none of s");
  }

  @Test
  void everyEffect_thatIsWrongOnce_isFoundOnce() {
    for (int id = 1; id <= 3; id++) {
      enqueued(id, "a");
      keyed("alive", "a", id, "INSERTED", "NULL, NULL, NULL");
    }
    enqueued(4, "r");
    keyed("replaced", "r", 4, "INSERTED", "NULL, NULL, NULL");
    keyed("replaced", "r", 4, "REPLACED", "NULL, NULL, 2");
    keyed("replaced", "r", 4, "DUPLICATE", "NULL, NULL, 2");
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) VALUES (2, 1, 1), (1, 1, 1), (3, 1, 1),"
            + " (4, 1, 1)",
        "INSERT INTO keyed_effect SELECT message_id, seq FROM keyed WHERE seq IN (1, 2, 4)");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "message 1 of a took effect behind 2",
            "message 3 took effect with content none, and the last one committed was 3",
            "message 4 took effect with content 4, and the last one committed was 5");
  }

  /** They ask nobody, and may live beside another. */
  @Test
  void redrivenDeadLetters_areNotJudged() {
    enqueued(1, "a");
    enqueued(2, "a");
    keyed("alive", "a", 1, "INSERTED", "NULL, NULL, NULL");
    keyed("alive", "a", 2, "INSERTED", "NULL, 1, NULL");
    database.execute(
        "INSERT INTO redriven VALUES (1)",
        "INSERT INTO effect (message_id, claim, pid) VALUES (2, 1, 1), (1, 2, 1)",
        "INSERT INTO keyed_effect SELECT message_id, content FROM keyed");
    assertThat(features.findings()).isEmpty();
  }

  @Test
  void offers_ofWhatWaitsOrIsClaimedOrIsOver_areBookedAsTheyAreAnswered() throws Exception {
    Repeater repeater = repeater();
    offer(repeater);
    database.execute("UPDATE queue_message SET state = 1, lock_id = 'x', claims = claims + 1");
    offer(repeater);
    assertThat(claimedAreLeft(Keyed.ALIVE)).as("of %s", Keyed.ALIVE).isTrue();
    assertThat(claimedAreLeft(Keyed.WAITING)).as("of %s", Keyed.WAITING).isFalse();
    settleAll();
    offer(repeater);
    settleAll();
    assertThat(features.findings()).isEmpty();
    assertThat(features.unused()).noneMatch(line -> line.contains("fault.keyed"));
    assertThat(features.unused()).noneMatch(line -> line.contains("REPEATABLE READ"));
  }

  /** What is offered to see that is found itself, as long as nobody has handled it. */
  @Test
  void keys_thatAreHeldWhenNothingIsLeft_areFound() throws Exception {
    Repeater repeater = repeater();
    assertThat(repeater.findings()).isEmpty();
    assertThat(repeater.findings())
        .hasSize(10)
        .first()
        .asString()
        .matches("the queue is empty, and \\d+ holds a key of fault.keyed.alive");
    settleAll();
    assertThat(repeater.findings()).isEmpty();
    settleAll();
    assertThat(features.findings()).isEmpty();
    assertThat(features.unused()).noneMatch(line -> line.contains("fault.keyed"));
  }

  @Test
  void refusal_leavesWhatElseIsInItsTransaction_andNothingOfItsCall() throws Exception {
    offer(Keyed.REFUSED, "new");
    for (int time = 0; time < 10; time++) {
      assertThat(offer(Keyed.REFUSED, "new")).containsExactly(DeduplicationLedger.REFUSED);
    }
    assertThat(database.strings("SELECT id FROM queue_message ORDER BY id"))
        .hasSizeGreaterThan(11)
        .isEqualTo(database.strings("SELECT message_id FROM enqueued ORDER BY message_id"));
    assertThat(features.findings()).isEmpty();
  }

  @Test
  void keyThatIsNewToTwo_isThatOfTheFirst() throws Exception {
    try (KeyedCall first = call(Keyed.ALIVE, "a-new-1", false);
        KeyedCall second = call(Keyed.ALIVE, "a-new-1", false)) {
      first.begin();
      second.begin();
      assertThat(features.unused()).anyMatch(line -> line.contains("new keys"));
      assertThat(offer(first)).containsExactly("INSERTED");
      assertThat(offer(second)).containsExactly("DUPLICATE");
    }
    assertThat(features.unused()).noneMatch(line -> line.contains("new keys"));
    assertThat(features.findings()).isEmpty();
  }

  /** The rows of keys are made to forget whom they name. */
  @Test
  void newMessage_besideTheOneThatHoldsItsKey_isFoundInEitherIsolation() throws Exception {
    List<String> topics = List.of(Keyed.ALIVE, Keyed.WAITING);
    for (boolean inSnapshot : List.of(false, true)) {
      for (String topic : topics) {
        for (int time = 0; time < 2; time++) {
          try (KeyedCall call = call(topic, topic + inSnapshot, inSnapshot)) {
            call.begin();
            assertThat(offer(call)).containsExactly("INSERTED");
          }
          database.execute("UPDATE queue_deduplication SET message_id = NULL");
        }
      }
    }
    assertThat(features.findings()).hasSize(4).allMatch(line -> line.contains(" came while "));
  }

  private List<String> offer(String topic, String key) throws Exception {
    try (KeyedCall call = call(topic, key, false)) {
      call.begin();
      return offer(call);
    }
  }

  private KeyedCall call(String topic, String key, boolean inSnapshot) throws Exception {
    return KeyedCall.open(database.url(), inSnapshot, List.of(new Keying(topic, key, 1)));
  }

  private List<String> offer(KeyedCall call) throws Exception {
    call.offer(MessageProducer.create(), random);
    call.commit();
    return call.answers().stream().map(Answer::outcome).toList();
  }

  private Repeater repeater() {
    return new Repeater(
        database.url(), () -> OptionalLong.of(numbers.incrementAndGet()), true, Plan.seeded(1));
  }

  /** Each key of each topic is offered, and most of them more than once. */
  private static void offer(Repeater repeater) throws Exception {
    for (int turn = 0; turn < 40; turn++) {
      repeater.offer();
    }
  }

  /** Whether the only messages under old keys of {@code topic} are those that are claimed. */
  private boolean claimedAreLeft(String topic) {
    return database
        .strings(
            "SELECT DISTINCT m.state FROM queue_message m JOIN keyed k ON k.message_id = m.id"
                + " WHERE k.topic = '%s' AND k.dedup_key NOT LIKE '%%-new-%%'".formatted(topic))
        .equals(List.of("1"));
  }

  /** As handlers do, each with the content that it was given. */
  private void settleAll() {
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) SELECT id, claims, 1 FROM queue_message"
            + " ORDER BY id",
        "INSERT INTO keyed_effect SELECT id, CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(CONVERT(payload"
            + " USING utf8mb4), '\"filler\":\"', -1), '\"', 1) AS SIGNED) FROM queue_message"
            + " WHERE topic LIKE 'fault.keyed%'",
        "DELETE FROM queue_message");
  }

  /** Its content is the number of its row. */
  private void keyed(String topic, String key, int id, String outcome, String seen) {
    database.execute(
        "INSERT INTO keyed (topic, dedup_key, message_id, outcome, content, gone, beside, state)"
            + " SELECT 'fault.keyed.%s', '%s', %d, '%s', COUNT(*) + 1, %s FROM keyed"
                .formatted(topic, key, id, outcome, seen));
  }

  private void enqueued(int id, String key) {
    database.execute(
        "INSERT INTO enqueued VALUES (%d, 'fault.keyed', 'SUCCEED', NULL, '%s', 0)"
            .formatted(id, key));
  }
}
