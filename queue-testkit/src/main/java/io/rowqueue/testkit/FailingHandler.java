package io.rowqueue.testkit;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Fails a given number of times, and then succeeds. Thread-safe.
 *
 * @param <P> the payload's type
 */
public class FailingHandler<P> implements MessageHandler<P> {

  private final int failures;
  private final Supplier<? extends Exception> failure;
  private final AtomicInteger calls = new AtomicInteger();

  /** Throws what {@code failure} gives, the first {@code failures} times. */
  public FailingHandler(int failures, Supplier<? extends Exception> failure) {
    this.failures = failures;
    this.failure = failure;
  }

  /** Throws what {@code failure} gives, every time. */
  public static <P> FailingHandler<P> always(Supplier<? extends Exception> failure) {
    return new FailingHandler<>(Integer.MAX_VALUE, failure);
  }

  @Override
  public void handle(P payload, HandlerContext context) throws Exception {
    if (calls.incrementAndGet() <= failures) {
      throw failure.get();
    }
  }

  /** How often it was called. */
  public int calls() {
    return calls.get();
  }
}
