package io.rowqueue.testkit;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Fails a given number of times, and then succeeds. Counts the attempts of all messages together.
 * Thread-safe.
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
   * Throws the exception from {@code failure} the first {@code failures} times, and then succeeds.
   *
   * @throws IllegalArgumentException if {@code failures} is negative
   */
  public FailingHandler(int failures, Supplier<? extends Exception> failure) {
    this(failures, failure, (payload, context) -> {});
  }

  /**
   * Throws the exception from {@code failure} the first {@code failures} times, and then calls
   * {@code next}.
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

  /** Throws the exception from {@code failure} every time. */
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

  /** Returns how often it was called, including failures. */
  public int calls() {
    return calls.get();
  }
}
