package io.rowqueue.tests;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work on several threads at once. */
public final class Threads {

  private Threads() {}

  /** What one thread does. */
  @FunctionalInterface
  public interface Work {

    /** Does it. */
    void run() throws Exception;
  }

  /** Returns when all have ended; the first failure is thrown then. */
  public static void run(int threads, Work work) throws Exception {
    run(Collections.nCopies(threads, work));
  }

  /** The same for works that differ. */
  public static void run(List<? extends Work> works) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(works.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (Work work : works) {
        running.add(
            pool.submit(
                () -> {
                  work.run();
                  return true;
                }));
      }
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
