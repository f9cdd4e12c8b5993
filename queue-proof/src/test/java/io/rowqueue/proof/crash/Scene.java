package io.rowqueue.proof.crash;

import static io.rowqueue.proof.crash.Role.program;
import static io.rowqueue.proof.crash.Role.worker;
import static io.rowqueue.proof.crash.Stage.batch;
import static io.rowqueue.proof.crash.Stage.chain;
import static io.rowqueue.proof.crash.Stage.deadLetter;
import static io.rowqueue.proof.crash.Stage.deadLetterWithoutEffect;
import static io.rowqueue.proof.crash.Stage.deadWorker;
import static io.rowqueue.proof.crash.Stage.empty;
import static io.rowqueue.proof.crash.Stage.group;
import static io.rowqueue.proof.crash.Stage.groupWithoutEffect;
import static io.rowqueue.proof.crash.Stage.limited;
import static io.rowqueue.proof.crash.Stage.line;
import static io.rowqueue.proof.crash.Stage.lineThatMayHaveRoom;
import static io.rowqueue.proof.crash.Stage.lineWithRoom;
import static io.rowqueue.proof.crash.Stage.lineWithoutEffect;
import static io.rowqueue.proof.crash.Stage.lineWithoutHead;
import static io.rowqueue.proof.crash.Stage.message;
import static io.rowqueue.proof.crash.Stage.messageWithoutEffect;
import static io.rowqueue.proof.crash.Stage.orphan;
import static io.rowqueue.proof.crash.Stage.orphanWithoutEffect;
import static io.rowqueue.proof.crash.Stage.schedule;
import static io.rowqueue.proof.crash.Stage.silentWorker;
import static io.rowqueue.proof.crash.Stage.slot;
import static io.rowqueue.proof.crash.Stage.sql;
import static io.rowqueue.proof.crash.Stage.subscribed;

import io.rowqueue.database.Transition;
import io.rowqueue.proof.crash.victim.Program;
import io.rowqueue.proof.crash.victim.Step;
import io.rowqueue.proof.crash.victim.Step.What;
import io.rowqueue.testkit.QueueDatabase;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * How a process comes to a transition, and how the database shows that it has committed. Every
 * transition has at least one; each is played three times, once for every moment of its COMMIT.
 */
@SuppressWarnings("ImmutableEnumChecker") // It does not see that stages and roles hold no state.
enum Scene {
  ENQUEUE(
      Transition.ENQUEUE,
      empty(),
      program("produce"),
      "SELECT COUNT(*) = " + Program.PRODUCED + " FROM queue_message"),

  ENQUEUE_UNDER_KEYS(
      Transition.ENQUEUE,
      empty(),
      program("produce-under-keys"),
      "SELECT COUNT(*) = "
          + Program.PRODUCED
          + " FROM queue_deduplication JOIN queue_message ON id = message_id"),

  ENQUEUE_STREAMED(
      Transition.ENQUEUE,
      empty(),
      program("produce-streamed"),
      "SELECT COUNT(*) = 3 * "
          + Program.PRODUCED
          + " FROM queue_body JOIN queue_message ON id = message_id"),

  REPLACE(
      Transition.ENQUEUE,
      message(What.SUCCEED, Program.KEY),
      program("replace"),
      "SELECT priority = -7 AND version = 2 FROM queue_deduplication JOIN queue_message ON id ="
          + " message_id"),

  PROMOTE(
      Transition.PROMOTE,
      message(What.SUCCEED, "UPDATE queue_message SET state = 2"),
      worker(),
      "SELECT COUNT(*) FROM queue_message WHERE state = 0"),

  ENQUEUE_IN_LINE(
      Transition.ENQUEUE,
      empty(),
      program("produce-in-line"),
      "SELECT COUNT(*) = "
          + Program.PRODUCED
          + " FROM queue_order JOIN queue_message ON id ="
          + " message_id"),

  MAKE_A_LINE(Transition.ADMIT, line(), worker(), "SELECT COUNT(*) FROM queue_order_head"),

  ADMIT(
      Transition.ADMIT,
      lineWithoutHead(),
      worker(),
      "SELECT COUNT(*) FROM queue_order_head WHERE message_id IS NOT NULL"),

  ADMIT_SEVERAL(
      Transition.ADMIT,
      lineWithRoom(),
      worker(),
      "SELECT COUNT(*) FROM queue_order_head WHERE message_id IS NOT NULL"),

  APPLY_LIMIT(
      Transition.APPLY_LIMIT,
      lineThatMayHaveRoom(),
      worker(),
      "SELECT COUNT(*) FROM queue_order_head WHERE stalled = 1 OR message_id IS NOT NULL"),

  CLAIM(Transition.CLAIM, message(What.SUCCEED), worker(), Seen.CLAIMED),

  CLAIM_BY_UPDATE_LIMIT(
      Transition.CLAIM,
      message(What.SUCCEED),
      worker("--claim-strategy", "update-limit"),
      Seen.CLAIMED),

  CLAIM_BY_OPTIMISTIC(
      Transition.CLAIM,
      message(What.SUCCEED),
      worker("--claim-strategy", "optimistic"),
      Seen.CLAIMED),

  CLAIM_BY_LAST_INSERT_ID(
      Transition.CLAIM,
      message(What.SUCCEED),
      worker("--claim-strategy", "last-insert-id"),
      Seen.CLAIMED),

  START(
      Transition.START,
      message(What.SUCCEED, "UPDATE queue_message SET lost = 1"),
      worker(),
      "SELECT started FROM queue_message"),

  ACK(Transition.ACK, message(What.SUCCEED), worker(), Seen.EFFECT),

  ACK_OF_A_HEAD(Transition.ACK, line(), worker(), Seen.EFFECT),

  ACK_OF_ONE_OF_SEVERAL(Transition.ACK, lineWithRoom(), worker(), Seen.EFFECT),

  ACK_WITH_A_RESULT(
      Transition.ACK,
      group(Step.RESULT_TOPIC),
      worker(),
      "SELECT COUNT(*) > 0 AND COUNT(*) = (SELECT COUNT(*) FROM effect) FROM queue_result"),

  ACK_SHARED(Transition.ACK, group(Step.SHARED_TOPIC), worker(), Seen.EFFECT),

  ACK_BATCH(Transition.ACK, group(Step.BATCH_TOPIC), worker(), Seen.EFFECT),

  ACK_GROUPED(
      Transition.ACK,
      groupWithoutEffect(),
      worker(),
      "SELECT COUNT(*) < " + Stage.GROUP + " FROM queue_message"),

  RETRY(
      Transition.RETRY,
      message(What.FAIL_ONCE),
      worker(),
      "SELECT COUNT(*) FROM queue_message m JOIN queue_attempt a ON a.message_id = m.id"
          + " WHERE m.state = 2 AND m.attempts = 1"),

  RELEASE(
      Transition.RELEASE,
      message(What.GIVE_BACK),
      worker(),
      "SELECT COUNT(*) FROM queue_message WHERE state = 2 AND lock_id = '' AND claims = 1 AND"
          + " attempts = 0"),

  RELEASE_AT_DRAIN(
      Transition.RELEASE,
      message(What.WAIT_ONCE),
      worker(),
      "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND claims = 1 AND attempts = 0") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      Stage.await(database, "SELECT COUNT(*) FROM queue_message WHERE state = 1");
      victim.terminate();
    }
  },

  DEAD_LETTER(
      Transition.DEAD_LETTER,
      message(What.REJECT),
      worker(),
      "SELECT COUNT(*) FROM queue_dead_letter JOIN queue_dead_letter_attempt ON message_id = id") {
    @Override
    String end() {
      return "dead";
    }
  },

  REGISTER(Transition.REGISTER, empty(), worker(), Seen.WORKER),

  RENEW(Transition.RENEW, empty(), worker(), "SELECT updated_at > started_at FROM queue_worker"),

  RECONCILE(
      Transition.RECONCILE,
      empty(),
      worker(),
      "SELECT COUNT(*) FROM queue_message WHERE state = 0") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      Stage.await(database, Seen.WORKER);
      Stage.enqueue(
          database,
          What.SUCCEED,
          "UPDATE queue_message SET state = 1, claims = 1,"
              + " lock_id = (SELECT lock_id FROM queue_worker)");
    }
  },

  HAND_BACK(
      Transition.HAND_BACK,
      empty(),
      worker(),
      "SELECT COUNT(*) FROM queue_message WHERE state = 2 AND claims = 1") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      Stage.await(database, Seen.WORKER);
      // As a plain SQL INSERT with a due time leaves it: available, and due later.
      Stage.enqueue(
          database,
          What.SUCCEED,
          "UPDATE queue_message SET due_at = UTC_TIMESTAMP(6) + INTERVAL 2 SECOND");
    }
  },

  DECLARE_DEAD(
      Transition.DECLARE_DEAD,
      silentWorker().andThen(orphan("")),
      worker(),
      "SELECT alive = 0 FROM queue_worker WHERE host = 'gone'"),

  REAP(
      Transition.REAP,
      deadWorker().andThen(orphan("")),
      worker(),
      "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND lock_id = '' AND lost = 1"),

  REAP_INTO_QUARANTINE(
      Transition.REAP,
      deadWorker().andThen(orphan(", lost = 2, started = 1")),
      worker(),
      "SELECT COUNT(*) FROM queue_dead_letter WHERE reason = 'claims-lost'") {
    @Override
    String end() {
      return "dead";
    }
  },

  DEREGISTER(
      Transition.DEREGISTER,
      message(What.SUCCEED),
      worker(),
      "SELECT COUNT(*) = 0 AND (SELECT COUNT(*) FROM effect) = 1 FROM queue_worker") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      Stage.await(database, Seen.EFFECT);
      victim.terminate();
    }
  },

  DEREGISTER_THE_DEAD(
      Transition.DEREGISTER,
      deadWorker(),
      worker(),
      "SELECT COUNT(*) = 0 FROM queue_worker WHERE host = 'gone'"),

  REDRIVE(
      Transition.REDRIVE, deadLetter(), program("redrive"), "SELECT COUNT(*) FROM queue_message") {
    @Override
    String endIfNotCommitted() {
      return "dead";
    }
  },

  DISCARD(
      Transition.DISCARD,
      deadLetterWithoutEffect(),
      program("discard"),
      "SELECT COUNT(*) = 0 FROM queue_dead_letter") {
    @Override
    String endIfNotCommitted() {
      return "dead";
    }
  },

  CANCEL(
      Transition.CANCEL,
      messageWithoutEffect(),
      program("cancel"),
      "SELECT COUNT(*) = 0 FROM queue_message"),

  CANCEL_IN_LINE(
      Transition.CANCEL,
      lineWithoutEffect(),
      program("cancel"),
      "SELECT COUNT(*) = 0 FROM queue_message"),

  RESCHEDULE(
      Transition.RESCHEDULE,
      message(What.SUCCEED),
      program("reschedule"),
      "SELECT state = 2 FROM queue_message"),

  PRIORITIZE(
      Transition.PRIORITIZE,
      message(What.SUCCEED),
      program("prioritize"),
      "SELECT priority = -7 FROM queue_message"),

  PAUSE(
      Transition.PAUSE,
      empty(),
      program("pause"),
      "SELECT COUNT(*) FROM queue_topic WHERE paused = 1"),

  RESUME(
      Transition.RESUME,
      sql("INSERT INTO queue_topic (topic, paused) VALUES ('elsewhere', 1)"),
      program("resume"),
      "SELECT COUNT(*) FROM queue_topic WHERE paused = 0"),

  KEEP(
      Transition.KEEP,
      empty(),
      program("keep"),
      "SELECT COUNT(*) FROM queue_topic WHERE keep_days = 7"),

  LIMIT(
      Transition.LIMIT,
      empty(),
      program("limit"),
      "SELECT COUNT(*) FROM queue_topic WHERE max_in_flight = 3"),

  ORDER(
      Transition.ORDER,
      empty(),
      program("order"),
      "SELECT COUNT(*) FROM queue_topic WHERE set_aside = 1"),

  DRAIN(Transition.DRAIN, silentWorker(), program("drain"), "SELECT draining FROM queue_worker"),

  PRUNE(
      Transition.PRUNE,
      sql(
          "INSERT INTO queue_archive (id, settled_day, topic, priority, claims, attempts, lost,"
              + " worker, due_at, created_at, settled_at, payload) VALUES (1, UTC_DATE(),"
              + " 'elsewhere', 0, 1, 0, 0, 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(), UTC_TIMESTAMP(),"
              + " 'p')"),
      program("prune"),
      "SELECT COUNT(*) = 0 FROM queue_archive"),

  PRUNE_KEYS(
      Transition.PRUNE_KEYS,
      sql(
          "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, version, updated_at) VALUES"
              + " (REPEAT('x', 16), 'elsewhere', 'k', 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)"),
      program("prune-keys"),
      "SELECT COUNT(*) = 0 FROM queue_deduplication"),

  REGISTER_WAITER(
      Transition.REGISTER_WAITER,
      empty(),
      program("register-waiter"),
      "SELECT COUNT(*) FROM queue_waiter"),

  PRUNE_RESULTS(
      Transition.PRUNE_RESULTS,
      sql(
          "INSERT INTO queue_result (message_id, topic, settled_at, expires_at) VALUES (1,"
              + " 'elsewhere', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)"),
      program("prune-results"),
      "SELECT COUNT(*) = 0 FROM queue_result"),

  SWEEP_BODIES(
      Transition.SWEEP_BODIES,
      sql("INSERT INTO queue_body (message_id, seq, bytes) VALUES (1, 0, 'a'), (1, 1, 'b')"),
      program("sweep-bodies"),
      "SELECT COUNT(*) = 0 FROM queue_body"),

  SWEEP_STORED(
      Transition.SWEEP_STORED,
      sql(
          "INSERT INTO queue_stored_body (message_id, store, reference, bytes, sha256) VALUES (1,"
              + " 'memory', 'body-1', 1, REPEAT('x', 32))"),
      program("sweep-stored"),
      "SELECT COUNT(*) = 0 FROM queue_stored_body"),

  ACK_OF_A_MEMBER(
      Transition.ACK,
      message(What.SUCCEED, "UPDATE queue_message SET batch_id = 64").andThen(batch(1, 1)),
      worker(),
      "SELECT COUNT(*) FROM effect JOIN queue_batch ON completed_at IS NOT NULL"),

  ACK_OF_A_STEP(
      Transition.ACK,
      chain(message(What.SUCCEED, "UPDATE queue_message SET batch_id = -1")),
      worker(),
      "SELECT COUNT(*) FROM effect JOIN queue_chain c ON c.message_id IS NOT NULL"),

  BATCH_ADD(
      Transition.BATCH_ADD,
      empty(),
      program("produce-batch"),
      "SELECT COUNT(*) = " + Program.PRODUCED + " FROM queue_message WHERE batch_id > 0"),

  BATCH_SEAL(
      Transition.BATCH_SEAL,
      batch(0, 1),
      program("batch-seal"),
      "SELECT completed_at IS NOT NULL FROM queue_batch"),

  BATCH_CANCEL(
      Transition.BATCH_CANCEL,
      messageWithoutEffect()
          .andThen(sql("UPDATE queue_message SET batch_id = 64"))
          .andThen(batch(1, 1)),
      program("batch-cancel"),
      "SELECT cancelled FROM queue_batch"),

  BATCH_RECOUNT(
      Transition.BATCH_RECOUNT,
      batch(1, 1),
      program("batch-recount"),
      "SELECT completed_at IS NOT NULL FROM queue_batch"),

  BATCH_PRUNE(
      Transition.BATCH_PRUNE,
      batch(1, 0)
          .andThen(sql("UPDATE queue_batch SET completed_at = UTC_TIMESTAMP(6) - INTERVAL 8 DAY")),
      program("batch-prune"),
      "SELECT COUNT(*) = 0 FROM queue_batch"),

  CHAIN_BEGIN(
      Transition.CHAIN_BEGIN,
      empty(),
      program("produce-chain"),
      "SELECT COUNT(*) FROM queue_chain JOIN queue_message m ON m.id = message_id"),

  CHAIN_CANCEL(
      Transition.CHAIN_CANCEL,
      chain(messageWithoutEffect().andThen(sql("UPDATE queue_message SET batch_id = -1"))),
      program("chain-cancel"),
      "SELECT COUNT(*) = 0 FROM queue_chain_step"),

  SWEEP_LINES(
      Transition.SWEEP_LINES,
      sql(
          "INSERT INTO queue_order_head (order_id, topic, ordering_key, message_id, version,"
              + " updated_at) VALUES (REPEAT('x', 16), 'elsewhere', 'k', 7, 1, UTC_TIMESTAMP(6))"),
      program("sweep-lines"),
      "SELECT stalled FROM queue_order_head"),

  PRUNE_LINES(
      Transition.PRUNE_LINES,
      sql(
          "INSERT INTO queue_order_key VALUES (REPEAT('x', 16), 1, UTC_TIMESTAMP(6) - INTERVAL 2"
              + " DAY)"),
      program("prune-lines"),
      "SELECT COUNT(*) = 0 FROM queue_order_key"),

  FIRE(
      Transition.FIRE,
      schedule("UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6)"),
      worker(),
      "SELECT COUNT(*) FROM queue_schedule WHERE last_at IS NOT NULL"),

  SCHEDULE_SET(
      Transition.SCHEDULE_SET,
      empty(),
      program("schedule-set"),
      "SELECT COUNT(*) FROM queue_schedule WHERE next_at > UTC_TIMESTAMP(6)"),

  SCHEDULE_PAUSE(
      Transition.SCHEDULE_PAUSE,
      schedule(),
      program("schedule-pause"),
      "SELECT paused FROM queue_schedule"),

  SCHEDULE_RESUME(
      Transition.SCHEDULE_RESUME,
      schedule("UPDATE queue_schedule SET paused = 1"),
      program("schedule-resume"),
      "SELECT paused = 0 FROM queue_schedule"),

  SCHEDULE_REMOVE(
      Transition.SCHEDULE_REMOVE,
      schedule(),
      program("schedule-remove"),
      "SELECT COUNT(*) = 0 FROM queue_schedule"),

  SCHEDULE_RUN(
      Transition.SCHEDULE_RUN,
      schedule(),
      program("schedule-run"),
      "SELECT COUNT(*) FROM queue_message"),

  PUBLISH(
      Transition.PUBLISH,
      subscribed(Step.TOPIC, Step.SHARED_TOPIC, Step.BATCH_TOPIC),
      program("publish"),
      "SELECT COUNT(*) = 3 FROM queue_message"),

  SUBSCRIBE(
      Transition.SUBSCRIBE,
      subscribed(),
      program("subscribe"),
      "SELECT COUNT(*) FROM queue_subscription"),

  UNSUBSCRIBE(
      Transition.UNSUBSCRIBE,
      subscribed("elsewhere"),
      program("unsubscribe"),
      "SELECT COUNT(*) = 0 FROM queue_subscription"),

  MUTE(
      Transition.MUTE,
      subscribed("elsewhere"),
      program("mute"),
      "SELECT muted FROM queue_subscription"),

  UNMUTE(
      Transition.UNMUTE,
      subscribed("elsewhere").andThen(sql("UPDATE queue_subscription SET muted = 1")),
      program("unmute"),
      "SELECT muted = 0 FROM queue_subscription"),

  MAKE_SLOTS(
      Transition.MAKE_SLOTS,
      limited().andThen(message(What.SUCCEED)),
      worker(),
      "SELECT COUNT(*) FROM queue_slot"),

  TAKE_SLOTS(
      Transition.TAKE_SLOTS,
      limited().andThen(message(What.SUCCEED)),
      worker(),
      "SELECT COUNT(*) FROM queue_slot JOIN queue_worker USING (lock_id)"),

  WANT_SLOTS(
      Transition.WANT_SLOTS,
      limited(),
      worker(),
      "SELECT COUNT(*) FROM queue_topic WHERE wanted_at IS NOT NULL") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      Stage.await(database, Seen.WORKER);
      // Its holder lives long enough for somebody to want the slot, and not for ever.
      Stage.dyingWorker(5).andThen(slot()).andThen(message(What.SUCCEED)).accept(database);
    }
  },

  GIVE_SLOTS_BACK(
      Transition.GIVE_SLOTS_BACK,
      limited().andThen(message(What.SUCCEED)),
      worker(),
      "SELECT COUNT(*) > 0 AND (SELECT COUNT(*) FROM effect) = 1 FROM queue_slot WHERE lock_id ="
          + " ''"),

  FREE_SLOTS(
      Transition.FREE_SLOTS,
      limited().andThen(slot()).andThen(deadWorker()).andThen(message(What.SUCCEED)),
      worker(),
      "SELECT COUNT(*) = 0 FROM queue_slot WHERE lock_id = '" + Program.DRAINED + "'"),

  DRAW(
      Transition.DRAW,
      sql("INSERT INTO queue_topic (topic, max_per_second) VALUES ('crash', 100)")
          .andThen(message(What.SUCCEED)),
      worker(),
      "SELECT COUNT(*) FROM queue_rate"),

  JUDGE(
      Transition.JUDGE,
      sql("INSERT INTO queue_topic (topic, max_depth) VALUES ('crash', 1)")
          .andThen(message(What.SUCCEED)),
      worker(),
      "SELECT COUNT(*) FROM queue_depth"),

  REPORT(
      Transition.REPORT,
      message(What.REPORT),
      worker(),
      "SELECT COUNT(*) FROM queue_progress WHERE done = 1"),

  /** Of a message that a dead worker holds: the wish stays until it is reaped, and ends it. */
  ASK_CANCEL(
      Transition.ASK_CANCEL,
      deadWorker().andThen(orphanWithoutEffect()),
      program("ask-cancel"),
      "SELECT COUNT(*) FROM queue_cancel"),

  ASK_CANCEL_OF_WHAT_NOBODY_HAS(
      Transition.ASK_CANCEL,
      messageWithoutEffect(),
      program("ask-cancel"),
      "SELECT COUNT(*) = 0 FROM queue_message"),

  CANCEL_CLAIMED(
      Transition.CANCEL_CLAIMED,
      message(What.HEED, "UPDATE enqueued SET effectless = 1"),
      worker(),
      "SELECT COUNT(*) = 0 FROM queue_message") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      Stage.await(database, "SELECT COUNT(*) FROM queue_message WHERE state = 1");
      database.execute("INSERT INTO queue_cancel (message_id) SELECT id FROM queue_message");
    }
  },

  APPLY_CANCEL(
      Transition.APPLY_CANCEL,
      messageWithoutEffect()
          .andThen(
              sql("UPDATE queue_message SET state = 2, due_at = UTC_TIMESTAMP(6) + INTERVAL 1 DAY"))
          .andThen(sql("INSERT INTO queue_cancel (message_id) SELECT id FROM queue_message")),
      worker(),
      "SELECT COUNT(*) = 0 FROM queue_message");

  private final Transition transition;
  private final Consumer<QueueDatabase> stage;
  private final Role role;
  private final String committed;

  /**
   * @param stage what the database holds before the victim starts
   * @param role what the victim is
   * @param committed a query for whether the transition has taken place, as everybody can see
   */
  Scene(Transition transition, Consumer<QueueDatabase> stage, Role role, String committed) {
    this.transition = transition;
    this.stage = stage;
    this.role = role;
    this.committed = committed;
  }

  Transition transition() {
    return transition;
  }

  Role role() {
    return role;
  }

  /** The name as the documentation writes it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  void arrange(QueueDatabase database) {
    stage.accept(database);
  }

  /** What happens once the victim runs. */
  void act(QueueDatabase database, Victim victim) {}

  boolean committed(QueueDatabase database) {
    return database.strings(committed).stream().anyMatch(value -> !value.equals("0"));
  }

  /** Where its messages are once another worker has cleaned up. */
  String end() {
    return "acked";
  }

  /** The same, where the victim died before its COMMIT. */
  String endIfNotCommitted() {
    return end();
  }

  /** What several scenes look for. */
  private static final class Seen {
    private static final String CLAIMED =
        "SELECT COUNT(*) FROM queue_message JOIN queue_worker USING (lock_id) WHERE state = 1";
    private static final String EFFECT = "SELECT COUNT(*) FROM effect";
    private static final String WORKER = "SELECT COUNT(*) FROM queue_worker";
  }
}
