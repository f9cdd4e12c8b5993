package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.proof.race.Player.Gate;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.LockWaits;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.lease.WorkerLease;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A worker that renews its lease, and a peer that takes it for dead just then. The worker does
 * nothing else: a whole one would find its lease run out, and declare itself dead.
 */
@QueueTest
class DeathRaceIT {

  private static final Duration SOON = Duration.ofSeconds(40);

  /** Renewed every second. */
  private static final Duration LEASE = Duration.ofSeconds(3);

  private static final String RUN_OUT =
      "UPDATE queue_worker SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND";
  private static final String LIVING = "SELECT lock_id FROM queue_worker WHERE is_alive = 1";

  @Test
  void worker_declaredDeadWhileItRenews_knowsItAndComesBackUnderANewLockId(QueueDatabase database)
      throws Exception {
    try (Player peer = new Player(database);
        Renewing worker = new Renewing(database, new Gate());
        Connection onlooker = database.connect()) {
      String before = worker.lockId();
      Gate.Hold hold = peer.gate().closeFor(Transition.DECLARE_DEAD);
      CompletableFuture<Integer> declared =
          CompletableFuture.supplyAsync(() -> declareDead(database, peer));
      try {
        hold = awaitDeath(hold, peer.gate(), onlooker);
        awaitWaitAtTheWorkersRow(database, onlooker);
        assertThat(database.strings(LIVING)).as("before the COMMIT").containsExactly(before);
      } finally {
        hold.admitNext();
      }
      assertThat(declared.get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
      String after =
          Await.until(
              "it lives under another lock_id",
              SOON,
              worker::lockId,
              now -> !now.isEmpty() && !now.equals(before));
      assertThat(database.strings(LIVING)).containsExactly(after);
    }
  }

  @Test
  void worker_thatRenewsWhileItIsTakenForDead_staysAlive(QueueDatabase database) throws Exception {
    Gate gate = new Gate();
    try (Player peer = new Player(database);
        Renewing worker = new Renewing(database, gate)) {
      String before = worker.lockId();
      Gate.Hold hold = holdARenewal(database, gate);
      try {
        CompletableFuture<Integer> declared =
            CompletableFuture.supplyAsync(() -> peer.get(Reaper.class).declareDead());
        assertThat(declared.get(SOON.toSeconds(), TimeUnit.SECONDS)).isZero();
      } finally {
        hold.admitNext();
      }
      assertThat(database.strings(LIVING)).containsExactly(before);
    }
  }

  /** The worker may renew between the two statements; it is then alive, and tried again. */
  private static int declareDead(QueueDatabase database, Player peer) {
    return Await.until(
        "the worker is declared dead",
        SOON,
        () -> {
          database.execute(RUN_OUT);
          return peer.get(Reaper.class).declareDead();
        },
        dead -> dead > 0);
  }

  /** Lets go who came too late: the worker had renewed since its lease was read. */
  private static Gate.Hold awaitDeath(Gate.Hold first, Gate gate, Connection onlooker)
      throws Exception {
    Gate.Hold hold = first;
    hold.reached().get(SOON.toSeconds(), TimeUnit.SECONDS);
    while (Rows.promised(onlooker).exact().stream().noneMatch(row -> row.contains("alive=0"))) {
      Gate.Hold next = gate.closeFor(Transition.DECLARE_DEAD);
      hold.admitNext();
      hold = next;
      hold.reached().get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
    return hold;
  }

  /** A renewal that began before the lease was made to run out is let go. */
  private static Gate.Hold holdARenewal(QueueDatabase database, Gate gate) throws Exception {
    while (true) {
      database.execute(RUN_OUT);
      Gate.Hold hold = gate.closeFor(Transition.RENEW);
      hold.reached().get(SOON.toSeconds(), TimeUnit.SECONDS);
      if (database.count("SELECT COUNT(*) FROM queue_worker WHERE lease_until < UTC_TIMESTAMP(6)")
          == 1) {
        return hold;
      }
      hold.admitNext();
    }
  }

  private static void awaitWaitAtTheWorkersRow(QueueDatabase database, Connection onlooker) {
    LockWaits waits = new LockWaits(onlooker, database.isMariaDb());
    Await.until(
        "somebody waits at the worker's row",
        SOON,
        waits::tables,
        List.of(Contender.Row.WORKER.table())::equals);
  }

  /** The lease of a worker, and nothing else of it. */
  private static final class Renewing implements AutoCloseable {

    private final TestWorker parts;

    Renewing(QueueDatabase database, Gate gate) {
      parts =
          TestWorker.create(
              database,
              config -> config.withLeaseDuration(LEASE),
              LambdaHandlers.bind(Player.TOPIC, String.class, (payload, context) -> {}),
              binder ->
                  OptionalBinder.newOptionalBinder(binder, TransactionProbe.class)
                      .setBinding()
                      .toInstance(gate));
      parts.get(WorkerLease.class).start();
    }

    /** As whom it would claim now; empty if it does not trust its lease. */
    String lockId() {
      LockId trusted = parts.get(LeaseState.class).holder();
      return trusted == null ? "" : trusted.value();
    }

    @Override
    public void close() {
      parts.get(WorkerThreads.class).stop();
      parts.get(WorkerLease.class).end();
      parts.close();
    }
  }
}
