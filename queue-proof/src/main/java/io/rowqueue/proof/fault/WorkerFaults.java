package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.WorkerProcess.Stopped;
import java.io.IOException;
import java.util.Set;
import java.util.random.RandomGenerator;

/** What happens to worker processes. */
final class WorkerFaults {

  /** Longer than the lease of the harness. */
  private static final int BEYOND_THE_LEASE_MILLIS = 4_000;

  private WorkerFaults() {}

  /** SIGKILL; a new process takes its place. */
  static Set<Long> kill(Rig rig, RandomGenerator random) throws Exception {
    WorkerProcess victim = rig.fleet().victim(random);
    victim.kill();
    rig.fleet().replaceTheDead();
    return Set.of(victim.pid());
  }

  /** SIGSTOP, so long that its peers take over, then SIGCONT: the zombie must leave no trace. */
  static Set<Long> pause(Rig rig, RandomGenerator random) throws Exception {
    return stopFor(rig, BEYOND_THE_LEASE_MILLIS + random.nextInt(1_000), random);
  }

  /** SIGSTOP and SIGCONT within the lease. */
  static Set<Long> hiccup(Rig rig, RandomGenerator random) throws Exception {
    return stopFor(rig, 20 + random.nextInt(1_000), random);
  }

  private static Set<Long> stopFor(Rig rig, int millis, RandomGenerator random) throws Exception {
    WorkerProcess victim = rig.fleet().victim(random);
    victim.pause();
    try {
      Pauses.millis(millis);
    } finally {
      victim.resume();
    }
    return Set.of(victim.pid());
  }

  /** SIGTERM under load; a new process takes its place. */
  static Set<Long> terminate(Rig rig, RandomGenerator random) throws Exception {
    WorkerProcess victim = rig.fleet().victim(random);
    stop(rig, victim);
    rig.fleet().replaceTheDead();
    // Nothing may be handled twice because of it, so it explains nothing.
    return Set.of(0L);
  }

  /** Every worker is stopped and replaced, one after the other. */
  static Set<Long> roll(Rig rig, RandomGenerator random) throws Exception {
    for (WorkerProcess each : rig.fleet().all()) {
      stop(rig, each);
      rig.fleet().replaceTheDead();
      rig.fleet().awaitAll();
      Pauses.between(0, 200, random);
    }
    return Set.of(0L);
  }

  /** SIGTERM to one, which must end well. */
  static void stop(Rig rig, WorkerProcess worker) throws InterruptedException {
    Stopped stopped = worker.terminate();
    rig.stops().add(stopped);
    if (stopped.exitCode() != 0) {
      rig.report("worker %d, told to stop: %s".formatted(worker.pid(), stopped));
    }
  }

  /** A message ends the process that handles it; whatever ended so far is replaced. */
  static Set<Long> replaceKilled(Rig rig, RandomGenerator random)
      throws IOException, InterruptedException {
    Pauses.between(500, 1_500, random);
    rig.fleet().replaceTheDead();
    return Set.of();
  }
}
