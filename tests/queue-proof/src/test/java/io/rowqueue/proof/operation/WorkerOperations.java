package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.Fixture.WORKER;

import io.rowqueue.claim.LockId;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.reap.Reaper;
import io.rowqueue.reap.Reaper.Unlocked;
import io.rowqueue.reap.WorkerAddress;
import io.rowqueue.reap.WorkerLife;
import io.rowqueue.reap.WorkerRegistry;
import io.rowqueue.schema.MessageIds;
import io.rowqueue.tests.statement.Core;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** How workers live and die. */
final class WorkerOperations {

  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final LockId OTHER = new LockId("host-2-play");

  private static final AtomicInteger RESTARTS = new AtomicInteger();

  private WorkerOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.REGISTER, (fixture, core) -> () -> register(core)),
        Operation.more(
            Transition.REGISTER,
            "whose row is there",
            (fixture, core) -> {
              fixture.worker(true, 60);
              return () -> register(core);
            }),
        Operation.more(
            Transition.REGISTER,
            "ids have started again",
            (fixture, core) -> {
              // Each time above what the time before has raised them to.
              fixture.copy(1_000_000 + 10 * RESTARTS.incrementAndGet(), TOPIC.name());
              return () -> {
                MessageIds.raise(core.get(Transactions.class));
                return register(core);
              };
            }),
        Operation.of(
            Transition.RENEW,
            (fixture, core) -> {
              fixture.worker(true, 60);
              return () -> core.get(WorkerRegistry.class).renew(WORKER, LEASE, WorkerAddress.NONE);
            }),
        Operation.of(Transition.DECLARE_DEAD, "whose lease ran out", declareDead(false)),
        Operation.of(
            Transition.DECLARE_DEAD,
            "whose lock is free, on two looks half a second apart",
            (fixture, core) -> () -> core.get(Reaper.class).unlocked()),
        Operation.more(Transition.DECLARE_DEAD, "two whose leases ran out", declareDead(true)),
        Operation.more(
            Transition.DECLARE_DEAD,
            "whose lock was free on both looks",
            WorkerOperations::unlocked),
        Operation.of(
            Transition.REAP,
            "one is released, one has reached the limit of lost claims",
            reap(2, 1)),
        Operation.more(Transition.REAP, "three are released", reap(3, 0)),
        Operation.more(Transition.REAP, "two have reached the limit, two have not", reap(4, 2)),
        Operation.of(
            Transition.DEREGISTER,
            "itself",
            (fixture, core) -> {
              fixture.worker(true, 60);
              return Act.done(() -> core.get(WorkerRegistry.class).deregister(WORKER));
            }),
        Operation.of(Transition.DEREGISTER, "the dead", removeDead(false)),
        Operation.more(Transition.DEREGISTER, "two dead", removeDead(true)));
  }

  private static Object register(Core core) {
    core.get(WorkerRegistry.class)
        .register(
            new WorkerLife(WORKER, "host", 1, "test", Set.of(TOPIC), WorkerAddress.NONE), LEASE);
    return "done";
  }

  private static Setup declareDead(boolean another) {
    return (fixture, core) -> {
      fixture.worker(true, -1);
      if (another) {
        fixture.worker(OTHER, true, -1);
      }
      return () -> core.get(Reaper.class).declareDead();
    };
  }

  private static Act unlocked(Fixture fixture, Core core) {
    fixture.worker(true, 60);
    fixture.sql("UPDATE queue_worker SET lease_until = '2999-01-01 00:00:00'");
    return () ->
        core.get(Reaper.class)
            .declareDead(new Unlocked(WORKER.value(), Instant.parse("2999-01-01T00:00:00Z")));
  }

  private static Setup reap(int count, int atTheLimit) {
    return (fixture, core) -> {
      fixture.messages(count);
      fixture.failedOnce();
      fixture.claims();
      fixture.sql("UPDATE queue_message SET lost = 2, started = 1 WHERE id <= " + atTheLimit);
      fixture.worker(false, -1);
      return () -> core.get(Reaper.class).reap(500, 3);
    };
  }

  private static Setup removeDead(boolean another) {
    return (fixture, core) -> {
      fixture.worker(false, -1);
      if (another) {
        fixture.worker(OTHER, false, -1);
      }
      return () -> core.get(Reaper.class).removeDead();
    };
  }
}
