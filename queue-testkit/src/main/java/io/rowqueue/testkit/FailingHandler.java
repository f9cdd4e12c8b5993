package io.rowqueue.testkit;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Fails a given number of times, and then succeeds. It counts handlings of all its messages
 * together. Thread-safe.
 *
 * <pre>{@code
 * new FailingHandler<String>(2, () -> new IOException("mail server is down"))
 * }</pre>
 *
 * @param <P> the payload's type
 */
public class FailingHandler<P> implements MessageHandler<P> {

  private final int failures;
  private final Supplier<? extends Exception> failure;
  private final MessageHandler<? super P> next;
  private final AtomicInteger calls = new AtomicInteger();

  /**
   * Throws what {@code failure} gives, the first {@code failures} times, and then does nothing.
   *
   * @throws IllegalArgumentException if {@code failures} is negative
   */
  public FailingHandler(int failures, Supplier<? extends Exception> failure) {
    this(failures, failure, (payload, context) -> {});
  }

  /**
   * Throws what {@code failure} gives, the first {@code failures} times, and then leaves the
   * messages to {@code next}.
   *
   * @throws IllegalArgumentException if {@code failures} is negative
   */
  public FailingHandler(
      int failures, Supplier<? extends Exception> failure, MessageHandler<? super P> next) {
    if (failures < 0) {
      throw new IllegalArgumentException("failures must not be negative, not " + failures);
    }
    this.failures = failures;
    this.failure = failure;
    this.next = next;
  }

  /** Throws what {@code failure} gives, every time. */
  public static <P> FailingHandler<P> always(Supplier<? extends Exception> failure) {
    return new FailingHandler<>(Integer.MAX_VALUE, failure);
  }

  @Override
  public void handle(P payload, HandlerContext context) throws Exception {
    if (calls.getAndUpdate(before -> before == Integer.MAX_VALUE ? before : before + 1)
        < failures) {
      throw failure.get();
    }
    next.handle(payload, context);
  }

  /** How often it was called, whether it failed or not. */
  public int calls() {
    return calls.get();
  }
}
