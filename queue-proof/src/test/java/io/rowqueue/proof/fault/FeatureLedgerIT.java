package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.proof.fault.plugin.Timetable;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the harness would say of broken promises: nothing it audits holds by itself. */
class FeatureLedgerIT {

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
  void nothing_happened_isNoSuccess() {
    assertThat(features.findings()).isEmpty();
    assertThat(features.unused()).hasSize(47);
  }

  @Test
  void everyPromise_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.ordered", "'a'", "NULL");
    enqueued(2, "fault.ordered", "'a'", "NULL");
    enqueued(6, "fault.formerly", "'a'", "NULL");
    enqueued(7, "fault.formerly", "'a'", "NULL");
    enqueued(3, "fault.result", "NULL", "NULL");
    enqueued(4, "fault.alone", "NULL", "'twice'");
    enqueued(5, "fault.alone", "NULL", "'twice'");
    database.execute(
        "INSERT INTO offered VALUES ('twice'), ('lost')",
        "INSERT INTO effect (message_id, claim, pid) VALUES (2, 1, 1), (1, 1, 1), (3, 1, 1),"
            + " (7, 1, 1), (6, 1, 1)",
        "INSERT INTO upcast VALUES (6, 'SUCCEED', 0), (7, 'SUCCEED', 0)",
        "INSERT INTO queue_result (message_id, topic, settled_at, expires_at, content) VALUES"
            + " (9, 'fault.result', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '1')",
        "INSERT INTO tick VALUES (100), (102)",
        "INSERT INTO queue_order (order_id, message_id) VALUES (UNHEX(REPEAT('0', 32)), 77)");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "key twice was enqueued under 2 times",
            "key lost was enqueued under 0 times",
            "message 1 of a was handled behind 2",
            "message 6 of a was handled behind 7",
            "message 3 took effect without its result",
            "message 9 has a result without effect",
            "1 firings are missing of 3",
            "message 77 is gone and stands in its line");
  }

  @Test
  void everyPromiseOfBodies_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.alone", "NULL", "NULL");
    database.execute("UPDATE enqueued SET filler = 40000");
    deadLetter(1, "fault.alone", "body-missing");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "dead letter 1 has lost its body", "dead letter 1 was said to have no body");
  }

  @Test
  void everySeal_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.sealed", "NULL", "NULL");
    deadLetter(1, "fault.sealed", "undecodable");
    assertThat(features.findings())
        .containsExactly("dead letter 1 was sealed, and is said to be undecodable");
  }

  @Test
  void everyPromiseOfBatchesAndChains_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.alone", "NULL", "NULL");
    database.execute(
        "INSERT INTO batched VALUES (10, 2), (12, 2), (13, 1)",
        "INSERT INTO batch_member VALUES (1, 13)",
        "INSERT INTO completed VALUES (11, 'total=1 done=1 failed=0 cancelled=0', 1, 0),"
            + " (12, 'total=2 done=1 failed=0 cancelled=0', 1, 0),"
            + " (13, 'total=1 done=1 failed=0 cancelled=0', 0, 0)",
        "INSERT INTO chained VALUES ('short'), ('crooked')",
        "INSERT INTO step (chain, number) VALUES ('short', 1), ('stray', 1), ('crooked', 1),"
            + " ('crooked', 3), ('crooked', 2)");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "batch 10 of 2 never completed",
            "batch 11 was never committed, and completed",
            "batch 12 of 2 completed with total=2 done=1 failed=0 cancelled=0",
            "batch 13 completed with total=1 done=1 failed=0 cancelled=0 and 0 effects,"
                + " 0 of its members being outside",
            "chain short took 1 steps",
            "chain stray was never committed, and took step 1",
            "step 2 of chain crooked was taken behind step 3");
  }

  @Test
  void everyPromiseOfCancelledBatches_brokenOnce_isFoundOnce() {
    for (int id = 1; id <= 6; id++) {
      enqueued(id, "fault.alone", "NULL", "NULL");
    }
    database.execute(
        "INSERT INTO batched VALUES (10, 3), (11, 2), (12, 1), (13, 0)",
        "INSERT INTO cancelled_batch VALUES (10, 2), (11, 2), (12, 2), (13, NULL)",
        "INSERT INTO batch_member VALUES (1, 10), (2, 10), (3, 10), (4, 11), (5, 11), (6, 12)",
        "INSERT INTO effect (message_id, claim, pid) VALUES (1, 1, 1), (2, 1, 1), (4, 1, 1),"
            + " (6, 1, 1)",
        "INSERT INTO part VALUES ('p', 12, NULL), ('q', 12, 'n'), ('r', 12, 'n'), ('s', 13, 'm'),"
            + " ('t', 13, 'm')",
        "INSERT INTO part_done VALUES ('q'), ('s')",
        "INSERT INTO nest VALUES ('n', 12), ('m', 13)",
        "INSERT INTO nest_done VALUES ('n', 'total=2 done=1 failed=0 cancelled=1', 1),"
            + " ('m', 'total=2 done=1 failed=0 cancelled=0', 1)",
        "INSERT INTO completed VALUES (10, 'total=3 done=1 failed=0 cancelled=2', 1, 0),"
            + " (11, 'total=2 done=1 failed=0 cancelled=1', 1, 0),"
            + " (12, 'total=3 done=2 failed=0 cancelled=1', 1, 1),"
            + " (13, 'total=1 done=1 failed=0 cancelled=0', 0, 1)");
    assertThat(features.findings())
        .as("12 has lost a part, and one of its nested batch")
        .containsExactlyInAnyOrder(
            "batch 10 of 3 completed with total=3 done=1 failed=0 cancelled=2, and 2 of its members"
                + " are somewhere",
            "batch 11 was said to lose 2 messages, and completed with total=2 done=1 failed=0"
                + " cancelled=1",
            "nest m completed with total=2 done=1 failed=0 cancelled=0 behind 1 parts");
  }

  @Test
  void everyPromiseOfCancelledChains_brokenOnce_isFoundOnce() {
    database.execute(
        "INSERT INTO chained VALUES ('a'), ('b'), ('c'), ('d')",
        "INSERT INTO cancelled_chain VALUES ('a', 1, 1), ('b', 0, 1), ('c', 0, 1), ('d', NULL,"
            + " NULL)",
        "INSERT INTO step (chain, number) VALUES ('a', 1), ('a', 2), ('b', 1), ('b', 2), ('b', 3),"
            + " ('c', 1), ('c', 2), ('d', 1), ('d', 3)");
    assertThat(features.findings())
        .as("c has taken the step that it was at")
        .containsExactlyInAnyOrder(
            "chain a was cancelled with its message behind 1 steps, and took 2",
            "chain b was cancelled behind 1 steps, and took 3",
            "chain d took step 3 behind 1 others");
  }

  /** Nobody handles any of it, so that all of it is taken out. */
  @Test
  void batchesAndChains_areCancelled_andTheAnswersBooked() throws Exception {
    for (int turn = 0; turn < 2; turn++) {
      features
          .batchCancels()
          .revoke(database.url(), MessageProducer.create(), Mix.USUAL, Plan.seeded(turn));
    }
    assertThat(database.strings("SELECT answered FROM cancelled_batch")).containsExactly("8", "8");
    assertThat(database.strings("SELECT CONCAT(answered, ' ', steps) FROM cancelled_chain"))
        .containsExactly("1 0", "1 0");
    assertThat(database.strings("SELECT topic FROM queue_message"))
        .containsExactly("fault.completed", "fault.completed");
    assertThat(database.count("SELECT COUNT(*) FROM removed WHERE stays = 1")).isEqualTo(16);
  }

  @Test
  void everyPromiseOfSchedules_brokenOnce_isFoundOnce() {
    String moves =
        "INSERT INTO advance (schedule, due, moment, next_moment, moved_at, fired) VALUES ";
    database.execute(
        moves
            + "('fault.second.once', 1000000, 1000000, 2000000, 1000001, 1),"
            + " ('fault.second.once', 2000000, 2000000, 3000000, 2000001, 1),"
            + " ('fault.second.once', 3000000, 3000000, 4000000, 3000001, 1),"
            + " ('fault.second.once', 3000000, 3000000, 4000000, 3000002, 1),"
            + " ('fault.second.once', 4000000, 4000000, 7000000, 6000001, 1),"
            + " ('fault.second.once', 7000000, 4000000, 8000000, 7000001, 0)",
        moves
            + "('fault.cron.skip.4', 60000000, 60000000, 120000000, 64000000, 1),"
            + " ('fault.cron.skip.4', 120000000, 120000000, 180000000, 124000000, 1),"
            + " ('fault.cron.skip.4', 180000000, 120000000, 240000000, 184000000, 0)",
        moves + "('fault.cron.once.0', 60000000, 120000000, 180000000, 205000000, 1)",
        "INSERT INTO firing VALUES ('fault.second.once', 1000000), ('fault.second.once', 3000000),"
            + " ('fault.second.once', 4000000), ('fault.second.once', 9000000),"
            + " ('fault.cron.skip.4', 60000000), ('fault.cron.skip.4', 120000000),"
            + " ('fault.cron.once.0', 120000000)",
        "INSERT INTO schedule_pause VALUES (62000000, 63000000), (200000000, 210000000)");
    assertThat(features.findings())
        .as("what comes late without a pause may have begun in time")
        .containsExactlyInAnyOrder(
            "fault.second.once fired 2 times for 3000000",
            "fault.second.once moved on from 2000000, and nothing came of it",
            "fault.second.once fired for 9000000, and did not move on",
            "fault.second.once fired for 4000000, and is to fire again at 7000000",
            "fault.second.once was due at 7000000 and left it out",
            "fault.cron.skip.4 was to leave out 60000000, and fired for it at 64000000",
            "fault.cron.once.0 was paused, and moved on at 205000000");
  }

  /** What moves a schedule on is noted with it, whether it fires or leaves something out. */
  @Test
  void schedules_areBookedAsTheyMoveOn() {
    Schedules schedules = Schedules.of(Transactions.on(database.dataSource()));
    Timetable.all().forEach(schedule -> assertThat(schedules.declare(schedule)).isTrue());
    database.execute(
        "UPDATE queue_schedule SET last_at = next_at, next_at = next_at + INTERVAL 1 MINUTE"
            + " WHERE name LIKE 'fault.cron.skip.%'",
        "UPDATE queue_schedule SET next_at = next_at + INTERVAL 1 SECOND"
            + " WHERE name = 'fault.second.once'",
        "UPDATE queue_schedule SET paused = 1");
    assertThat(database.strings("SELECT next_moment - moment FROM advance WHERE fired = 1"))
        .hasSize(15)
        .containsOnly("60000000");
    assertThat(database.strings("SELECT next_moment - due FROM advance WHERE fired = 0"))
        .containsExactly("1000000");
  }

  /** No worker is there; what one would have moved on is written instead, of a moment to come. */
  @Test
  void schedulesThatStandStill_whenTheFaultsAreOver_areFound() {
    Schedules schedules = Schedules.of(Transactions.on(database.dataSource()));
    Timetable.all().forEach(schedule -> assertThat(schedules.declare(schedule)).isTrue());
    database.execute("UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6) - INTERVAL 90 SECOND");
    assertThat(standingStill()).contains("what was missed is made up for");
    String moves =
        "INSERT INTO advance (schedule, due, moment, next_moment, moved_at, fired) VALUES"
            + " ('any', 1, %d, 3, 4102444800000000, %d)";
    database.execute(moves.formatted(1, 1));
    assertThat(standingStill()).contains("what was missed is made up for");
    database.execute(moves.formatted(2, 1));
    assertThat(standingStill()).contains("what was missed is left out");
    database.execute(moves.formatted(1, 0));
    assertThat(standingStill()).contains("fault.second.once fires");
  }

  private @Nullable String standingStill() {
    return features.schedules().finding(Duration.ofMillis(300));
  }

  /** Redriven or not, it comes before those behind it; elsewhere a redriven one comes next. */
  @Test
  void everyPromiseOfHeldLines_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.held", "'h'", "NULL");
    enqueued(2, "fault.held", "'h'", "NULL");
    enqueued(3, "fault.held", "'h'", "NULL");
    enqueued(4, "fault.ordered", "'h'", "NULL");
    enqueued(5, "fault.ordered", "'h'", "NULL");
    deadLetter(3, "fault.held", "failed-permanently");
    database.execute(
        "INSERT INTO mended VALUES (1)",
        "INSERT INTO redriven VALUES (1), (4)",
        "INSERT INTO effect (message_id, claim, pid) VALUES (2, 1, 1), (1, 2, 1), (5, 1, 1),"
            + " (4, 2, 1)");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "message 1 of h was handled behind 2", "dead letter 3 holds its line still");
  }

  @Test
  void everyPromiseOfAddedMembers_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.adding", "NULL", "NULL");
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) VALUES (1, 1, 1)",
        "INSERT INTO batched VALUES (10, 1), (11, 1)",
        "INSERT INTO batch_member VALUES (1, 10)",
        "INSERT INTO part VALUES ('a', 10, NULL), ('b', 10, 'n'), ('c', 10, 'n'), ('d', 11, NULL)",
        "INSERT INTO part_done VALUES ('a'), ('b'), ('c'), ('stray')",
        "INSERT INTO nest VALUES ('n', 10), ('m', 11)",
        "INSERT INTO nest_done VALUES ('n', 'total=2 done=2 failed=0 cancelled=0', 1),"
            + " ('none', 'total=2 done=2 failed=0 cancelled=0', 2)",
        "INSERT INTO completed VALUES (10, 'total=3 done=3 failed=0 cancelled=0', 1, 1),"
            + " (11, 'total=1 done=1 failed=0 cancelled=0', 1, 2)");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "part d was never handled",
            "part stray was rolled back, and was handled",
            "nest m never completed",
            "nest none was rolled back, and completed",
            "nest n completed with total=2 done=2 failed=0 cancelled=0 behind 1 parts",
            "batch 10 completed with total=3 done=3 failed=0 cancelled=0 and 1 effects,"
                + " 0 of its members being outside",
            "batch 10 completed behind 1 of 2 that were added",
            "batch 11 of 3 completed with total=1 done=1 failed=0 cancelled=0");
  }

  @Test
  void whatWasCancelled_andIsSomewhere_isFound() {
    enqueued(1, "fault.long", "NULL", "NULL");
    enqueued(2, "fault.long", "NULL", "NULL");
    enqueued(3, "fault.long", "NULL", "NULL");
    deadLetter(2, "fault.long", "failed-permanently");
    database.execute(
        "INSERT INTO cancelled VALUES (1), (2), (3), (4)",
        "INSERT INTO effect (message_id, claim, pid) VALUES (1, 1, 1)",
        "INSERT INTO queue_message (id, topic, payload) VALUES (3, 'fault.long', '{}')");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "message 1 was cancelled, and is handled",
            "message 2 was cancelled, and is a dead letter",
            "message 3 was cancelled, and is in the queue");
  }

  /** Whoever asked a worker to give it up does not know how that ends, whatever others say. */
  @Test
  void removal_thatWasRefused_isStruckOut_butForWhatWasAskedForOrGoesWithItsBatch() {
    database.execute(
        "INSERT INTO asked VALUES (1)", "INSERT INTO removed (message_id, stays) VALUES (3, 1)");
    for (MessageId id : List.of(new MessageId(1), new MessageId(2), new MessageId(3))) {
      Ledger.bookRemoval(database, id);
      Ledger.strikeOutRemoval(database, id);
    }
    assertThat(database.strings("SELECT message_id FROM removed")).containsExactly("1", "3");
  }

  @Test
  void everyPromiseOfOldPayloads_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.today", "NULL", "NULL");
    enqueued(2, "fault.formerly", "NULL", "NULL");
    enqueued(3, "fault.formerly", "NULL", "NULL");
    enqueued(4, "fault.formerly", "NULL", "NULL");
    deadLetter(4, "fault.formerly", "undecodable");
    database.execute(
        "UPDATE enqueued SET filler = 7",
        "INSERT INTO effect (message_id, claim, pid) VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1)",
        "INSERT INTO upcast VALUES (1, 'SUCCEED', 7), (2, 'SUCCEED', 0)");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "message 2 was enqueued as SUCCEED of 7, and read as SUCCEED of 0",
            "message 3 was enqueued as SUCCEED of 7, and read as nothing",
            "dead letter 4 of fault.formerly is said to be undecodable");
  }

  @Test
  void everyPromiseOfACounter_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.counted", "NULL", "NULL");
    enqueued(2, "fault.counted", "NULL", "NULL");
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) VALUES (1, 1, 1), (2, 1, 1)",
        "INSERT INTO counted VALUES (1, -1000000000), (3, 5)",
        "UPDATE queue_counter SET amount = 7 WHERE name = 'fault.counted' AND slot = 0");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "the counter holds 7, and by the books -999999995",
            "message 1 took 1000000000, which was never there",
            "message 2 took effect and has not counted",
            "message 3 counted without effect");
  }

  @Test
  void publications_withoutTheirCopyOrWithOneTooMany_areFound() {
    database.execute("INSERT INTO published VALUES (1, 1, 1), (2, 1, 0), (3, 0, 0), (4, 0, 1)");
    assertThat(features.findings())
        .containsExactly(
            "publication 2 has 0 copies, and one topic was subscribed",
            "publication 4 has 1 copies, and none was subscribed");
  }

  /** Whoever books a publication has seen no change beside it. */
  @Test
  void publications_areBookedAsTheSubscriptionIs() throws Exception {
    SubscriptionLedger subscriptions = features.subscriptions();
    for (int turn = 0; turn < 3; turn++) {
      subscriptions.publish(database.url(), Plan.seeded(turn));
      subscriptions.change();
    }
    assertThat(database.strings("SELECT CONCAT(subscribed, ' ', copies) FROM published"))
        .as("those of before the first change are not known")
        .containsExactly("1 1", "0 0");
    assertThat(features.findings()).isEmpty();
  }

  private void deadLetter(int id, String topic, String reason) {
    database.execute(
        "INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason,"
            + " detail, worker, due_at, created_at, dead_at, payload) VALUES (%d, '%s', 0, 1, 1, 0,"
                .formatted(id, topic)
            + " '%s', '', '', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '')"
                .formatted(reason));
  }

  private void enqueued(int id, String topic, String line, String key) {
    database.execute(
        "INSERT INTO enqueued VALUES (%d, '%s', 'SUCCEED', %s, %s, 0)"
            .formatted(id, topic, line, key));
  }
}
