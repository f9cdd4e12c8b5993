package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.ERROR;
import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.Fixture.WORKER;

import io.rowqueue.MessageId;
import io.rowqueue.internal.cancel.Cancellations;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.claim.HandlerResult;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.depth.WorkCounter;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.internal.progress.ProgressStore;
import io.rowqueue.internal.progress.ProgressStore.ProgressReport;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.Reaper.Unlocked;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import io.rowqueue.internal.result.ResultPruning;
import io.rowqueue.internal.result.ResultWaiters;
import io.rowqueue.internal.schema.MessageIds;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.Messages;
import io.rowqueue.proof.operation.Operation.Act;
import io.rowqueue.proof.operation.Operation.Setup;
import io.rowqueue.tests.statement.Core;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** How workers live and die. */
final class WorkerOperations {

  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final LockId OTHER = new LockId("host-2-play");

  private static final AtomicInteger RESTARTS = new AtomicInteger();

  private WorkerOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.REGISTER, (fixture, core) -> () -> register(core)),
        Operation.of(
            Transition.REGISTER,
            "whose row is there",
            (fixture, core) -> {
              fixture.worker(true, 60);
              return () -> register(core);
            }),
        Operation.of(
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
              return () ->
                  core.get(WorkerRegistry.class).renew(WORKER, LEASE, WorkerAddress.NONE, null);
            }),
        Operation.of(Transition.DECLARE_DEAD, "whose lease ran out", declareDead(false)),
        Operation.of(
            Transition.DECLARE_DEAD,
            "whose lock is free, on two looks half a second apart",
            (fixture, core) -> () -> core.get(Reaper.class).unlocked()),
        Operation.of(Transition.DECLARE_DEAD, "two whose leases ran out", declareDead(true)),
        Operation.of(
            Transition.DECLARE_DEAD,
            "whose lock was free on both looks",
            WorkerOperations::unlocked),
        Operation.of(
            Transition.REAP,
            "one is released, one has reached the limit of lost claims",
            reap(2, 1)),
        Operation.of(Transition.REAP, "three are released", reap(3, 0)),
        Operation.of(Transition.REAP, "two have reached the limit, two have not", reap(4, 2)),
        Operation.of(
            Transition.DEREGISTER,
            "itself",
            (fixture, core) -> {
              fixture.worker(true, 60);
              return Act.done(() -> core.get(WorkerRegistry.class).deregister(WORKER));
            }),
        Operation.of(Transition.DEREGISTER, "the dead", removeDead(false)),
        Operation.of(Transition.DEREGISTER, "two dead", removeDead(true)));
  }

  private static Object register(Core core) {
    core.get(WorkerRegistry.class)
        .register(
            new WorkerRegistration(WORKER, "host", 1, "test", Set.of(TOPIC), WorkerAddress.NONE),
            LEASE);
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
      fixture.sql(
          "UPDATE queue_message SET lost_claims = 2, handler_started = 1 WHERE id <= "
              + atTheLimit);
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

  /** How claims end. */
  static final class SettlementOperations {

    private SettlementOperations() {}

    static List<Operation> all() {
      return List.of(
          Operation.of(
              Transition.RETRY,
              (fixture, core) -> {
                Claim claim = fixture.claimed(1).get(0);
                return () -> core.get(Settler.class).retry(claim, ERROR, Duration.ofSeconds(2));
              }),
          Operation.of(
              Transition.RELEASE,
              "asked for by the handler",
              (fixture, core) -> {
                Claim claim = fixture.claimed(1).get(0);
                return () -> core.get(Settler.class).release(claim, Duration.ofSeconds(1));
              }),
          Operation.of(Transition.RELEASE, "at a drain", releaseAll(1)),
          Operation.of(Transition.RELEASE, "three at a drain", releaseAll(3)),
          Operation.of(Transition.ACK, "one message", SettlementOperations::ackOne),
          Operation.of(
              Transition.ACK,
              "a batch, or many that were handled without a transaction",
              SettlementOperations::ackMany),
          Operation.of(Transition.ACK, "where the topic keeps copies", ackWithCopies(1)),
          Operation.of(
              Transition.ACK,
              "many where the topic keeps copies, and one has failed before",
              ackWithCopies(3)),
          Operation.of(
              Transition.DEAD_LETTER,
              (fixture, core) -> {
                fixture.messages(1);
                fixture.failedOnce();
                Claim claim = fixture.claims().get(0);
                return () ->
                    core.get(Settler.class)
                        .deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR);
              }));
    }

    private static Setup releaseAll(int count) {
      return (fixture, core) -> {
        List<Claim> claims = fixture.claimed(count);
        return () -> core.get(Settler.class).releaseAll(claims);
      };
    }

    /** The first of all: nobody knows yet whether its topic keeps copies. */
    private static Act ackOne(Fixture fixture, Core core) {
      fixture.messages(1);
      fixture.failedOnce();
      Claim claim = fixture.claims().get(0);
      return Act.ack(core, claim);
    }

    private static Act ackMany(Fixture fixture, Core core) {
      fixture.messages(3);
      fixture.sql("UPDATE queue_message SET claim_number = 1 WHERE id = 3");
      List<Claim> claims = fixture.claims();
      core.get(TopicSettingsCache.class).refresh(null);
      return () -> core.get(Settler.class).ackAll(claims);
    }

    private static Setup ackWithCopies(int count) {
      return (fixture, core) -> {
        fixture.messages(count);
        if (count > 1) {
          fixture.failedOnce();
          fixture.sql(
              "UPDATE queue_message SET attempts = 0 WHERE id > 1",
              "DELETE FROM queue_attempt WHERE message_id > 1");
        }
        List<Claim> claims = fixture.claims();
        fixture.sql("INSERT INTO queue_topic (topic, retention_days) VALUES ('play', 7)");
        core.get(TopicSettingsCache.class).refresh(null);
        return () -> core.get(Settler.class).ackAll(claims);
      };
    }
  }

  /** What long handlers, and those who watch them, bring about. */
  static final class LongOperations {

    private static final MessageId FIRST = new MessageId(1);

    private static final Instant MINUTE = Instant.parse("2026-01-01T10:20:40Z");

    private static final String CANCEL_REQUEST =
        "INSERT INTO queue_cancel_request VALUES (1, UTC_TIMESTAMP(6), 'ada')";

    private LongOperations() {}

    private static void recordWork(Core core) {
      WorkCounter counter = new WorkCounter();
      counter.settled(io.rowqueue.handler.Outcome.ACKED);
      core.get(Statistics.class).add(Map.of("play", counter.unwritten()), MINUTE);
    }

    static List<Operation> all() {
      return List.of(
          Operation.of(
              Transition.REPORT,
              "of one message",
              (fixture, core) -> {
                fixture.claimed(1);
                return Act.done(() -> core.get(ProgressStore.class).report(List.of(report(1))));
              }),
          Operation.of(
              Transition.REPORT,
              "one of which has said something before",
              (fixture, core) -> {
                fixture.claimed(2);
                core.get(ProgressStore.class).report(List.of(report(1)));
                return Act.done(
                    () -> core.get(ProgressStore.class).report(List.of(report(2), report(1))));
              }),
          Operation.of(
              Transition.REPORT,
              "that has ended",
              (fixture, core) -> {
                fixture.claimed(1);
                core.get(ProgressStore.class).report(List.of(report(1)));
                return Act.done(
                    () -> core.get(ProgressStore.class).forget(List.of(report(1).claim())));
              }),
          Operation.of(
              Transition.RECORD_STATISTICS,
              "what a worker did",
              (fixture, core) -> Act.done(() -> recordWork(core))),
          Operation.of(
              Transition.RECORD_STATISTICS,
              "of how many messages wait",
              (fixture, core) -> {
                fixture.messages(3);
                return () -> core.get(Statistics.class).sample(MINUTE);
              }),
          Operation.of(
              Transition.RECORD_STATISTICS,
              "that have expired",
              (fixture, core) -> {
                recordWork(core);
                return () -> core.get(Statistics.class).prune(100);
              }),
          Operation.of(
              Transition.REQUEST_CANCEL, "of what nobody has claimed", onMessage("state = 0")),
          Operation.of(
              Transition.REQUEST_CANCEL,
              "of what somebody has claimed",
              onMessage("state = 1, claim_number = 1, lock_id = 'w'")),
          Operation.of(
              Transition.CANCEL_CLAIMED,
              (fixture, core) -> {
                fixture.messages(1);
                fixture.failedOnce();
                fixture.sql(CANCEL_REQUEST);
                Claim claim = fixture.claims().get(0);
                return () -> core.get(Settler.class).cancel(claim);
              }),
          Operation.of(
              Transition.APPLY_CANCEL,
              "of what nobody holds any more",
              onCancelRequest(requests -> requests.apply(FIRST))),
          Operation.of(
              Transition.APPLY_CANCEL,
              "of what is gone",
              onCancelRequest(
                  requests -> {
                    requests.forget(FIRST);
                    return "done";
                  })),
          Operation.of(
              Transition.PRUNE,
              "what the dead have said",
              (fixture, core) -> {
                fixture.sql(
                    "INSERT INTO queue_progress VALUES (1, 1, 1, 2, 'n', UTC_TIMESTAMP(6) -"
                        + " INTERVAL 1 HOUR)");
                return () -> core.get(ProgressStore.class).prune(500);
              }));
    }

    private static Setup onMessage(String changes) {
      return (fixture, core) -> {
        fixture.messages(1);
        fixture.failedOnce();
        fixture.sql("UPDATE queue_message SET " + changes);
        return () -> core.get(Messages.class).requestCancel(FIRST, "ada");
      };
    }

    private static Setup onCancelRequest(Function<Cancellations, Object> action) {
      return (fixture, core) -> {
        fixture.messages(1);
        fixture.failedOnce();
        fixture.sql(CANCEL_REQUEST);
        return () -> action.apply(core.get(Cancellations.class));
      };
    }

    private static ProgressReport report(long id) {
      return new ProgressReport(new ClaimKey(new MessageId(id), 1), 17, 40L, "part-17");
    }
  }

  /** What handlers give back, and those who await it. */
  static final class ResultOperations {

    private ResultOperations() {}

    static List<Operation> all() {
      return List.of(
          Operation.of(
              Transition.ACK,
              "with a result",
              (fixture, core) -> {
                Claim claim = withResult(fixture.claimed(1).get(0));
                core.get(TopicSettingsCache.class).refresh(null);
                return Act.ack(core, claim);
              }),
          Operation.of(Transition.ACK, "of many, two of which have a result", ackMany()),
          Operation.of(
              Transition.REGISTER_RESULT_LISTENER,
              (fixture, core) ->
                  Act.done(() -> core.get(ResultWaiters.class).register("waiter-1", 7, "server"))),
          Operation.of(
              Transition.PRUNE_RESULTS,
              (fixture, core) -> {
                fixture.sql(
                    "INSERT INTO queue_result (message_id, topic, settled_at, expires_at) VALUES"
                        + " (1, 'play', UTC_TIMESTAMP(6) - INTERVAL 1 DAY, UTC_TIMESTAMP(6) -"
                        + " INTERVAL 1 HOUR)",
                    "INSERT INTO queue_result_listener VALUES ('waiter-1', 7, 'server',"
                        + " UTC_TIMESTAMP(6) - INTERVAL 2 HOUR)");
                return () -> core.get(ResultPruning.class).prune(10);
              }));
    }

    private static Setup ackMany() {
      return (fixture, core) -> {
        List<Claim> claims = new ArrayList<>(fixture.claimed(3));
        claims.set(0, withResult(claims.get(0)));
        claims.set(2, withResult(claims.get(2)));
        core.get(TopicSettingsCache.class).refresh(null);
        return () -> core.get(Settler.class).ackAll(claims);
      };
    }

    private static Claim withResult(Claim claim) {
      byte[] content = "1".getBytes(StandardCharsets.UTF_8);
      return claim.withHandled(
          new Handled(
              new HandlerResult(null, content, Duration.ofHours(1), null), FollowUps.NOTHING, 0));
    }
  }
}
