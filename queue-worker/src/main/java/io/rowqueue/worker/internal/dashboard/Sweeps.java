package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The bulk changes started on this worker's dashboard, kept while the worker runs. Thread-safe. */
@Singleton
class Sweeps {

  private static final int AT_ONCE = 4;
  private static final int KEPT = 50;

  /** How long their last pages may take at the end. */
  private static final Duration LAST_PAGE = Duration.ofSeconds(3);

  private final WorkerThreads threads;
  private final List<Sweep> all = new ArrayList<>();
  private int numbers;

  @Inject
  Sweeps(WorkerThreads threads) {
    this.threads = threads;
  }

  /**
   * Starts one.
   *
   * @throws Refusal if too many are running
   */
  synchronized Sweep begin(Sweep.Plan plan) {
    if (all.stream().filter(Sweep::isRunning).count() >= AT_ONCE) {
      throw new Refusal(
          409, "Four bulk changes are already running. Wait for one to end, or stop one.");
    }
    Sweep sweep = new Sweep(++numbers, plan);
    Audit.write(plan.who(), plan.did(), plan.on(), "started");
    // Listed afterwards: if no thread can be started, it would be running for ever.
    threads.start("sweep", sweep::run);
    all.add(sweep);
    if (all.size() > KEPT) {
      all.stream().filter(old -> !old.isRunning()).findFirst().ifPresent(all::remove);
    }
    return sweep;
  }

  /** Returns all of them, newest first. */
  synchronized List<Sweep> list() {
    List<Sweep> newest = new ArrayList<>(all);
    Collections.reverse(newest);
    return newest;
  }

  synchronized long running() {
    return all.stream().filter(Sweep::isRunning).count();
  }

  /** Stops each one before its next page. */
  synchronized void stopAll() {
    all.forEach(Sweep::stop);
  }

  /** Stops each one; returns once their ends are recorded, if they end soon. */
  void end() {
    stopAll();
    long deadline = System.nanoTime() + LAST_PAGE.toNanos();
    for (Sweep sweep : list()) {
      sweep.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()));
    }
  }
}
