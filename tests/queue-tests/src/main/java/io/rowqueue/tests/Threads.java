package io.rowqueue.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work on several threads at once. */
public final class Threads {

  private Threads() {}

  /** Returns when all have ended; the first failure is thrown then. */
  public static void run(int threads, Callable<?> work) throws Exception {
    List<Callable<?>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(work);
    }
    run(all);
  }

  /** The same for works that differ. */
  public static void run(List<? extends Callable<?>> works) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(works.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      works.forEach(work -> running.add(pool.submit(work)));
      for (Future<?> each : running) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      pool.shutdownNow();
    }
  }
}
