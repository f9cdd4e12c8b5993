package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.Fixture.WORKER;

import io.rowqueue.claim.LockId;
import io.rowqueue.database.Transition;
import io.rowqueue.depth.DepthJudge;
import io.rowqueue.depth.DepthLimit;
import io.rowqueue.limit.RateBuckets;
import io.rowqueue.limit.Slots;
import io.rowqueue.tests.statement.Core;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** How workers keep the limits of topics, and judge how full these are. */
final class LimitOperations {

  private static final LockId OTHER = new LockId("host-2-play");
  private static final int PER_SECOND = 100;

  private LimitOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.MAKE_SLOTS, onSlots(slots -> slots.make(TOPIC, List.of(3, 4)))),
        Operation.more(
            Transition.MAKE_SLOTS,
            "one of which is there",
            onSlots(slots -> slots.make(TOPIC, List.of(2, 3)))),
        Operation.of(
            Transition.TAKE_SLOTS,
            onSlots(slots -> slots.take(TOPIC, WORKER, List.of(0, 1)).toString())),
        Operation.more(
            Transition.TAKE_SLOTS,
            "one of which somebody has",
            onSlots(slots -> slots.take(TOPIC, WORKER, List.of(1, 2)).toString())),
        Operation.of(
            Transition.WANT_SLOTS,
            (fixture, core) -> {
              fixture.sql("INSERT INTO queue_topic (topic, max_in_flight) VALUES ('play', 3)");
              return Act.done(() -> core.get(Slots.class).want(TOPIC));
            }),
        Operation.of(
            Transition.GIVE_SLOTS_BACK, onSlots(slots -> slots.giveBack(TOPIC, OTHER, Set.of(2)))),
        Operation.of(Transition.FREE_SLOTS, onSlots(slots -> slots.freeThoseOfTheDead(TOPIC))),
        Operation.of(Transition.DRAW, "the first of a topic", (fixture, core) -> () -> draw(core)),
        Operation.of(
            Transition.DRAW,
            "later",
            (fixture, core) -> {
              fixture.sql(
                  "INSERT INTO queue_rate VALUES ('play', 0, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)");
              return () -> draw(core);
            }),
        Operation.of(Transition.JUDGE, "the first of a topic", judge(false)),
        Operation.of(Transition.JUDGE, "later", judge(true)));
  }

  /** Slots 0 and 1 are free, and 2 is held by a worker that is gone. */
  private static Setup onSlots(Function<Slots, Object> action) {
    return (fixture, core) -> {
      fixture.sql(
          "INSERT INTO queue_slot (topic, slot, lock_id, taken_at) VALUES ('play', 0, '', NULL),"
              + " ('play', 1, '', NULL), ('play', 2, '"
              + OTHER
              + "', UTC_TIMESTAMP(6))");
      return () -> action.apply(core.get(Slots.class));
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
          core.get(DepthJudge.class)
              .judge(TOPIC, new DepthLimit(2L, null), Collections.emptyNavigableMap());
    };
  }

  /** More than there are, so that the answer says how many there were. */
  private static String draw(Core core) {
    return core.get(RateBuckets.class).draw(TOPIC, PER_SECOND, PER_SECOND).toString();
  }
}
