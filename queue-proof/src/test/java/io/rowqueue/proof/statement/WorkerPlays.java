package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.Scenery.TOPIC;
import static io.rowqueue.proof.statement.Scenery.WORKER;

import io.rowqueue.claim.LockId;
import io.rowqueue.database.Transition;
import io.rowqueue.proof.statement.Play.Scene;
import io.rowqueue.reap.Reaper;
import io.rowqueue.reap.Reaper.Unlocked;
import io.rowqueue.reap.WorkerAddress;
import io.rowqueue.reap.WorkerLife;
import io.rowqueue.reap.WorkerRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** How workers live and die. */
final class WorkerPlays {

  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final LockId OTHER = new LockId("host-2-play");

  private WorkerPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(Transition.REGISTER, (scenery, core) -> () -> register(core)),
        Play.more(
            Transition.REGISTER,
            "whose row is there",
            (scenery, core) -> {
              scenery.worker(true, 60);
              return () -> register(core);
            }),
        Play.of(
            Transition.RENEW,
            (scenery, core) -> {
              scenery.worker(true, 60);
              return () -> core.get(WorkerRegistry.class).renew(WORKER, LEASE, WorkerAddress.NONE);
            }),
        Play.of(Transition.DECLARE_DEAD, "whose lease ran out", declareDead(false)),
        Play.of(
            Transition.DECLARE_DEAD,
            "whose lock is free, on two looks half a second apart",
            (scenery, core) -> () -> core.get(Reaper.class).unlocked()),
        Play.more(Transition.DECLARE_DEAD, "two whose leases ran out", declareDead(true)),
        Play.more(
            Transition.DECLARE_DEAD, "whose lock was free on both looks", WorkerPlays::unlocked),
        Play.of(
            Transition.REAP,
            "one is released, one has reached the limit of lost claims",
            reap(2, 1)),
        Play.more(Transition.REAP, "three are released", reap(3, 0)),
        Play.more(Transition.REAP, "two have reached the limit, two have not", reap(4, 2)),
        Play.of(
            Transition.DEREGISTER,
            "itself",
            (scenery, core) -> {
              scenery.worker(true, 60);
              return () -> {
                core.get(WorkerRegistry.class).deregister(WORKER);
                return "done";
              };
            }),
        Play.of(Transition.DEREGISTER, "the dead", removeDead(false)),
        Play.more(Transition.DEREGISTER, "two dead", removeDead(true)));
  }

  private static Object register(Core core) {
    core.get(WorkerRegistry.class)
        .register(
            new WorkerLife(WORKER, "host", 1, "test", Set.of(TOPIC), WorkerAddress.NONE), LEASE);
    return "done";
  }

  private static Scene declareDead(boolean another) {
    return (scenery, core) -> {
      scenery.worker(true, -1);
      if (another) {
        scenery.worker(OTHER, true, -1);
      }
      return () -> core.get(Reaper.class).declareDead();
    };
  }

  private static Play.Act unlocked(Scenery scenery, Core core) {
    scenery.worker(true, 60);
    scenery.sql("UPDATE queue_worker SET lease_until = '2999-01-01 00:00:00'");
    return () ->
        core.get(Reaper.class)
            .declareDead(new Unlocked(WORKER.value(), Instant.parse("2999-01-01T00:00:00Z")));
  }

  private static Scene reap(int count, int atTheLimit) {
    return (scenery, core) -> {
      scenery.messages(count);
      scenery.failedOnce();
      scenery.claims();
      scenery.sql("UPDATE queue_message SET lost = 2, started = 1 WHERE id <= " + atTheLimit);
      scenery.worker(false, -1);
      return () -> core.get(Reaper.class).reap(500, 3);
    };
  }

  private static Scene removeDead(boolean another) {
    return (scenery, core) -> {
      scenery.worker(false, -1);
      if (another) {
        scenery.worker(OTHER, false, -1);
      }
      return () -> core.get(Reaper.class).removeDead();
    };
  }
}
