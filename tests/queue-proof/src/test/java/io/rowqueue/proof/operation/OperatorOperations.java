package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.ERROR;
import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.Fixture.WORKER;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.depth.DepthSampler;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.order.GroupSweep;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Archive;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import io.rowqueue.proof.operation.Operation.Act;
import io.rowqueue.proof.operation.Operation.Setup;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.worker.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** What operators do, and the upkeep of the archive. */
final class OperatorOperations {

  private static final MessageId FIRST = new MessageId(1);

  private OperatorOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.REDRIVE, redrive(1)),
        Operation.of(Transition.REDRIVE, "three", redrive(3)),
        Operation.of(Transition.DISCARD, discard(1)),
        Operation.of(Transition.DISCARD, "three", discard(3)),
        Operation.of(
            Transition.RESCHEDULE,
            onMessage(messages -> messages.reschedule(FIRST, Duration.ofMinutes(5)))),
        Operation.of(Transition.PRIORITIZE, onMessage(messages -> messages.prioritize(FIRST, 3))),
        Operation.of(Transition.CANCEL, onMessage(messages -> messages.cancel(FIRST))),
        Operation.of(Transition.PAUSE, onTopic(topics -> topics.pause(TOPIC))),
        Operation.of(Transition.RESUME, onTopic(topics -> topics.resume(TOPIC))),
        Operation.of(
            Transition.SET_RETENTION,
            onTopic(topics -> topics.change(TOPIC, set -> set.withRetentionDays(7)))),
        Operation.of(
            Transition.SET_RETENTION,
            "none",
            onTopic(topics -> topics.change(TOPIC, set -> set.withRetentionDays(null)))),
        Operation.of(
            Transition.LIMIT,
            onTopic(topics -> topics.change(TOPIC, set -> set.withMaxInFlight(20)))),
        Operation.of(
            Transition.LIMIT,
            "none",
            onTopic(topics -> topics.change(TOPIC, set -> set.withMaxInFlight(null)))),
        Operation.of(
            Transition.LIMIT,
            "per second",
            onTopic(topics -> topics.change(TOPIC, set -> set.withMaxPerSecond(50)))),
        Operation.of(
            Transition.PAUSE, "a worker", onWorker((workers, lockId) -> workers.pause(lockId))),
        Operation.of(
            Transition.RESUME,
            "a worker",
            (fixture, core) -> {
              fixture.worker(true, 60);
              fixture.sql("UPDATE queue_worker SET paused = 1");
              return Act.done(() -> core.get(Workers.class).resume(WORKER.value()));
            }),
        Operation.of(Transition.DRAIN, onWorker((workers, lockId) -> workers.drain(lockId))),
        Operation.of(
            Transition.AUDIT,
            (fixture, core) ->
                Act.done(
                    () ->
                        core.get(JooqAudit.class)
                            .write(new JooqAudit.Entry("ada", "h", "topics pause", "a", "done")))),
        Operation.of(
            Transition.PRUNE,
            "old entries of the audit table",
            (fixture, core) -> {
              fixture.sql(
                  "INSERT INTO queue_audit (at, actor, origin, action, target, result) VALUES"
                      + " (UTC_TIMESTAMP(6) - INTERVAL 500 DAY, 'ada', 'h', 'a', 't', 'r')");
              return () -> core.get(JooqAudit.class).prune(100);
            }),
        Operation.of(Transition.PRUNE, prune(1)),
        Operation.of(Transition.PRUNE, "two copies of each of two topics", prune(4)));
  }

  private static Setup onWorker(BiConsumer<Workers, String> request) {
    return (fixture, core) -> {
      fixture.worker(true, 60);
      return Act.done(() -> request.accept(core.get(Workers.class), WORKER.value()));
    };
  }

  private static Setup redrive(int count) {
    return (fixture, core) -> {
      List<MessageId> ids = fixture.deadLetters(count);
      return () -> core.get(DeadLetters.class).redriveAll(ids);
    };
  }

  private static Setup discard(int count) {
    return (fixture, core) -> {
      List<MessageId> ids = fixture.deadLetters(count);
      return () -> core.get(DeadLetters.class).discardAll(ids);
    };
  }

  private static Setup onMessage(Consumer<Messages> action) {
    return (fixture, core) -> {
      fixture.messages(1);
      fixture.failedOnce();
      return Act.done(() -> action.accept(core.get(Messages.class)));
    };
  }

  /** Whose messages are paused and limited, with copies that are kept for a day. */
  private static Setup onTopic(Consumer<Topics> action) {
    return (fixture, core) -> {
      fixture.sql(
          "INSERT INTO queue_topic (topic, paused, retention_days, max_in_flight, updated_at)"
              + " VALUES ('play', 1, 1, 7, UTC_TIMESTAMP(6) - INTERVAL 1 DAY)");
      return Act.done(() -> action.accept(core.get(Topics.class)));
    };
  }

  private static Setup prune(int count) {
    return (fixture, core) -> {
      for (int id = 1; id <= count; id++) {
        fixture.copy(id, id % 2 == 1 ? "odd" : "even");
      }
      return () -> core.get(Archive.class).prune(500);
    };
  }

  /** How workers keep the limits of topics, and judge how full these are. */
  static final class LimitOperations {

    private static final LockId OTHER = new LockId("host-2-play");
    private static final int PER_SECOND = 100;

    private LimitOperations() {}

    static List<Operation> all() {
      return List.of(
          Operation.of(Transition.MAKE_SLOTS, onSlots(slots -> slots.make(TOPIC, List.of(3, 4)))),
          Operation.of(
              Transition.MAKE_SLOTS,
              "one of which is there",
              onSlots(slots -> slots.make(TOPIC, List.of(2, 3)))),
          Operation.of(
              Transition.TAKE_SLOTS,
              onSlots(slots -> slots.take(TOPIC, WORKER, List.of(0, 1)).toString())),
          Operation.of(
              Transition.TAKE_SLOTS,
              "one of which somebody has",
              onSlots(slots -> slots.take(TOPIC, WORKER, List.of(1, 2)).toString())),
          Operation.of(
              Transition.WANT_SLOTS,
              (fixture, core) -> {
                fixture.sql("INSERT INTO queue_topic (topic, max_in_flight) VALUES ('play', 3)");
                return Act.done(() -> core.get(TopicSlots.class).want(TOPIC));
              }),
          Operation.of(
              Transition.RELEASE_SLOTS, onSlots(slots -> slots.release(TOPIC, OTHER, Set.of(2)))),
          Operation.of(Transition.FREE_SLOTS, onSlots(slots -> slots.freeThoseOfTheDead(TOPIC))),
          Operation.of(
              Transition.DRAW, "the first of a topic", (fixture, core) -> () -> draw(core)),
          Operation.of(
              Transition.DRAW,
              "later",
              (fixture, core) -> {
                fixture.sql(
                    "INSERT INTO queue_rate VALUES ('play', 0, UTC_TIMESTAMP(6) - INTERVAL 1"
                        + " HOUR)");
                return () -> draw(core);
              }),
          Operation.of(Transition.JUDGE, "the first of a topic", judge(false)),
          Operation.of(Transition.JUDGE, "later", judge(true)));
    }

    /** Slots 0 and 1 are free, and 2 is held by a worker that is gone. */
    private static Setup onSlots(Function<TopicSlots, Object> action) {
      return (fixture, core) -> {
        fixture.sql(
            "INSERT INTO queue_slot (topic, slot, lock_id, taken_at) VALUES ('play', 0, '', NULL),"
                + " ('play', 1, '', NULL), ('play', 2, '"
                + OTHER
                + "', UTC_TIMESTAMP(6))");
        return () -> action.apply(core.get(TopicSlots.class));
      };
    }

    /** Three wait, where two may. */
    private static Setup judge(boolean again) {
      return (fixture, core) -> {
        fixture.messages(3);
        if (again) {
          fixture.sql(
              "INSERT INTO queue_depth VALUES ('play', 0, 1, 9, 1, UTC_TIMESTAMP(6) - INTERVAL 1"
                  + " HOUR)");
        }
        return () ->
            core.get(DepthSampler.class)
                .sample(TOPIC, new DepthLimit(2L, null), Collections.emptyNavigableMap());
      };
    }

    /** More than there are, so that the answer says how many there were. */
    private static String draw(Core core) {
      return core.get(RateBuckets.class).draw(TOPIC, PER_SECOND, PER_SECOND).toString();
    }
  }

  /** How messages come and go whose topic has room for several of a key. */
  static final class KeyLimitOperations {

    private static final String LINE = "UNHEX(LEFT(SHA2(CONCAT('play', CHAR(0), 'a'), 256), 32))";

    private KeyLimitOperations() {}

    static List<Operation> all() {
      return List.of(
          Operation.of(Transition.APPLY_LIMIT, KeyLimitOperations::apply),
          Operation.of(
              Transition.LIMIT,
              "for each key",
              (fixture, core) ->
                  () -> {
                    core.get(Topics.class).change(TOPIC, set -> set.withKeyInFlight(2));
                    core.get(Topics.class).change(TOPIC, set -> set.withKeyPerSecond(9));
                    return "set";
                  }),
          Operation.of(
              Transition.ADMIT,
              "a line with room for several, and a rate",
              KeyLimitOperations::admit),
          Operation.of(Transition.ACK, "of one of several of a key", KeyLimitOperations::ack),
          Operation.of(Transition.RETRY, "of one of several of a key", KeyLimitOperations::retry),
          Operation.of(
              Transition.RELEASE, "of one of several of a key", KeyLimitOperations::release),
          Operation.of(
              Transition.DEAD_LETTER, "of one of several of a key", KeyLimitOperations::deadLetter),
          Operation.of(Transition.SWEEP_GROUPS, "beside a head", KeyLimitOperations::sweep));
    }

    /** Messages 1 and 2 may be handled, and 3 and 4 wait. */
    private static void line(Fixture fixture) {
      fixture.messages(4, "ordering_key = 'a', state = IF(id < 3, 0, 3)");
      fixture.sql(
          "INSERT INTO queue_topic (topic, key_max_in_flight, key_max_in_flight_applied) VALUES"
              + " ('play', 2, 2)",
          "INSERT INTO queue_ordering_member (group_id, message_id) SELECT "
              + LINE
              + ", id FROM queue_message WHERE id > 2",
          "INSERT INTO queue_ordering_member VALUES (" + LINE + ", 1, 2)",
          "INSERT INTO queue_ordering_group (group_id, topic, ordering_key, message_id,"
              + " has_concurrent, version, updated_at) VALUES ("
              + LINE
              + ", 'play', 'a', 1, 1, 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)");
    }

    /** Message 2 as a claim. */
    private static Claim second(Fixture fixture) {
      line(fixture);
      return fixture.claims().get(1);
    }

    private static Act apply(Fixture fixture, Core core) {
      line(fixture);
      fixture.sql("UPDATE queue_topic SET key_max_in_flight = 3");
      return () -> core.get(Admission.class).applyLimits();
    }

    /** Message 1 was inserted by plain SQL, so it has no place yet. */
    private static Act admit(Fixture fixture, Core core) {
      fixture.messages(
          3,
          "ordering_key = 'a', state = IF(id = 1, 4, 3), due_at = IF(id = 1,"
              + " TIMESTAMP'1970-01-01 00:00:00', due_at)");
      fixture.sql(
          "INSERT INTO queue_topic (topic, key_max_in_flight, key_max_in_flight_applied,"
              + " key_max_per_second) VALUES ('play', 2, 2, 100)",
          "INSERT INTO queue_ordering_member (group_id, message_id) SELECT "
              + LINE
              + ", id FROM queue_message WHERE id > 1");
      return () -> core.get(Admission.class).admitNow();
    }

    private static Act ack(Fixture fixture, Core core) {
      List<Claim> second = List.of(second(fixture));
      return () -> core.get(Settler.class).ackAll(second);
    }

    private static Act retry(Fixture fixture, Core core) {
      Claim second = second(fixture);
      return () -> core.get(Settler.class).retry(second, ERROR, Duration.ofHours(1));
    }

    private static Act release(Fixture fixture, Core core) {
      Claim second = second(fixture);
      return () -> core.get(Settler.class).release(second, Duration.ofHours(1));
    }

    private static Act deadLetter(Fixture fixture, Core core) {
      Claim second = second(fixture);
      return () ->
          core.get(Settler.class).deadLetter(second, DeadLetterReason.PERMANENT_FAILURE, ERROR);
    }

    private static Act sweep(Fixture fixture, Core core) {
      line(fixture);
      fixture.sql("DELETE FROM queue_message WHERE id = 2");
      return () -> core.get(GroupSweep.class).sweep(10);
    }
  }

  /** How messages with ordering keys come into their lines, move up and leave them. */
  static final class OrderOperations {

    private static final String LINE = "UNHEX(LEFT(SHA2(CONCAT('play', CHAR(0), '%s'), 256), 32))";

    private OrderOperations() {}

    static List<Operation> all() {
      return List.of(
          Operation.of(Transition.ENQUEUE, "with a new ordering key", enqueue(false, "a", "a"))
              .by(Role.PRODUCER),
          Operation.of(
                  Transition.ENQUEUE, "with an ordering key that is known", enqueue(true, "a", "a"))
              .by(Role.PRODUCER),
          Operation.of(
                  Transition.ENQUEUE, "with several ordering keys", enqueue(false, "a", "b", "a"))
              .by(Role.PRODUCER),
          Operation.of(Transition.ADMIT, OrderOperations::admit),
          Operation.of(Transition.ADMIT, "what stalled", OrderOperations::goOn),
          Operation.of(Transition.ACK, "of a head, with another in line", ack(2)),
          Operation.of(Transition.ACK, "of a head with nobody behind it", ack(1)),
          Operation.of(Transition.ACK, "of two heads that share a COMMIT", OrderOperations::ackTwo),
          Operation.of(
              Transition.DEAD_LETTER,
              "of a head that is stepped over",
              OrderOperations::deadLetter),
          Operation.of(
              Transition.REDRIVE, "with an ordering key", onDead((dead, id) -> dead.redrive(id))),
          Operation.of(
              Transition.DISCARD,
              "with an ordering key",
              onDead((dead, id) -> dead.discardAll(List.of(id)) == 1)),
          Operation.of(Transition.CANCEL, "in line", OrderOperations::cancel),
          Operation.of(Transition.SET_DEAD_LETTER_POLICY, OrderOperations::order),
          Operation.of(Transition.SWEEP_GROUPS, OrderOperations::sweep),
          Operation.of(Transition.PRUNE_GROUPS, OrderOperations::prune));
    }

    private static Setup enqueue(boolean known, String... keys) {
      return (fixture, core) -> {
        if (known) {
          fixture.sql(
              "INSERT INTO queue_ordering_lock VALUES ("
                  + LINE.formatted("a")
                  + ", 1, UTC_TIMESTAMP(6))");
        }
        List<NewMessage> messages = new ArrayList<>();
        for (String key : keys) {
          messages.add(NewMessage.of(TOPIC, messages.size() + " of " + key).withOrderingKey(key));
        }
        return () ->
            fixture.payloads(
                MessageProducer.create()
                    .notifying(WorkerNotifier.SILENT)
                    .enqueueAll(core.connections(), messages));
      };
    }

    /** Messages 1 and on of the same line, as their producer left them. */
    private static void line(Fixture fixture, int count) {
      fixture.messages(
          count,
          "ordering_key = 'a', state = IF(id = 1, 4, 3), due_at = IF(id = 1,"
              + " TIMESTAMP'1970-01-01 00:00:00', due_at)");
      fixture.sql(
          "INSERT INTO queue_ordering_member (group_id, message_id) SELECT "
              + LINE.formatted("a")
              + ", id FROM queue_message");
    }

    private static void head(Fixture fixture, String key, String message, int stalled) {
      fixture.sql(
          "INSERT INTO queue_ordering_group (group_id, topic, ordering_key, message_id,"
              + " needs_release, version,"
              + " updated_at) VALUES (%s, 'play', '%s', %s, %d, 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)"
                  .formatted(LINE.formatted(key), key, message, stalled));
    }

    private static Act admit(Fixture fixture, Core core) {
      line(fixture, 3);
      return () -> core.get(Admission.class).admitNow();
    }

    private static Act goOn(Fixture fixture, Core core) {
      line(fixture, 2);
      fixture.sql("UPDATE queue_message SET state = 3");
      head(fixture, "a", "NULL", 1);
      return () -> core.get(Admission.class).admitNow();
    }

    /** The first is a worker's, the others wait. */
    private static Claim claimed(Fixture fixture, int count) {
      line(fixture, count);
      fixture.sql(
          "UPDATE queue_message SET state = 0 WHERE id = 1",
          "DELETE FROM queue_ordering_member WHERE message_id = 1");
      head(fixture, "a", "1", 0);
      return fixture.claims().get(0);
    }

    private static Setup ack(int count) {
      return (fixture, core) -> {
        Claim head = claimed(fixture, count);
        return Act.ack(core, head);
      };
    }

    private static Act ackTwo(Fixture fixture, Core core) {
      fixture.messages(4, "ordering_key = IF(id % 2 = 1, 'a', 'b'), state = IF(id < 3, 0, 3)");
      fixture.sql(
          "INSERT INTO queue_ordering_member (group_id, message_id) SELECT IF(id = 3, %s, %s), id FROM queue_message WHERE id > 2"
              .formatted(LINE.formatted("a"), LINE.formatted("b")));
      head(fixture, "a", "1", 0);
      head(fixture, "b", "2", 0);
      List<Claim> heads = fixture.claims();
      return () -> core.get(Settler.class).ackAll(heads);
    }

    private static Act deadLetter(Fixture fixture, Core core) {
      fixture.sql("INSERT INTO queue_topic (topic, skip_dead_letters) VALUES ('play', 1)");
      Claim head = claimed(fixture, 2);
      return () ->
          core.get(Settler.class).deadLetter(head, DeadLetterReason.PERMANENT_FAILURE, ERROR);
    }

    private static MessageId dead(Fixture fixture) {
      Claim head = claimed(fixture, 2);
      fixture.deadLetter(head);
      return head.id();
    }

    private static Setup onDead(BiFunction<DeadLetters, MessageId, Boolean> action) {
      return (fixture, core) -> {
        MessageId dead = dead(fixture);
        return () -> action.apply(core.get(DeadLetters.class), dead);
      };
    }

    private static Act cancel(Fixture fixture, Core core) {
      line(fixture, 2);
      return Act.done(() -> core.get(Messages.class).cancel(new MessageId(1)));
    }

    private static Act order(Fixture fixture, Core core) {
      dead(fixture);
      return Act.done(() -> core.get(Topics.class).onDeadLetter(TOPIC, DeadLetterPolicy.SKIP));
    }

    private static Act sweep(Fixture fixture, Core core) {
      head(fixture, "a", "7", 0);
      return () -> core.get(GroupSweep.class).sweep(10);
    }

    private static Act prune(Fixture fixture, Core core) {
      head(fixture, "a", "NULL", 0);
      fixture.sql(
          "INSERT INTO queue_ordering_lock VALUES ("
              + LINE.formatted("a")
              + ", 1, UTC_TIMESTAMP(6) - INTERVAL 2 DAY)");
      return () -> core.get(GroupSweep.class).prune(10);
    }
  }
}
