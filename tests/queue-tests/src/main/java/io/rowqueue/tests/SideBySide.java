package io.rowqueue.tests;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Cases that mostly wait, for processes of their own, run two at a time; each is reported as a test
 * of its own, in their order. They share nothing, or what is safe for two threads.
 */
public final class SideBySide {

  private static final int THREADS = 2;

  private SideBySide() {}

  /** A test of each of {@code cases}, named after it. */
  public static <C> Stream<DynamicTest> tests(List<C> cases, Body<C> body) {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> running =
        cases.stream().<Future<?>>map(one -> submit(threads, body, one)).toList();
    return IntStream.range(0, cases.size())
        .mapToObj(
            number -> dynamicTest(cases.get(number).toString(), () -> end(running.get(number))))
        .onClose(threads::shutdownNow);
  }

  private static <C> Future<?> submit(ExecutorService threads, Body<C> body, C one) {
    return threads.submit(
        () -> {
          body.run(one);
          return true;
        });
  }

  private static void end(Future<?> running) throws Throwable {
    try {
      running.get();
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }

  /** What is done with a case. */
  @FunctionalInterface
  public interface Body<C> {

    /** Fails as a test does. */
    void run(C one) throws Exception;
  }
}
