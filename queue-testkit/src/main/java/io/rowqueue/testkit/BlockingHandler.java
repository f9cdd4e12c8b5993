package io.rowqueue.testkit;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Blocks inside the handler until it is released, so that a test can act in between. An interrupt
 * ends the wait with {@link InterruptedException}, as in any blocking handler. Thread-safe.
 *
 * @param <P> the payload's type
 */
public class BlockingHandler<P> implements MessageHandler<P> {

  private static final int EVERY_MESSAGE = 1 << 30;

  private final Semaphore entered = new Semaphore(0);
  private final Semaphore leave = new Semaphore(0);
  private final AtomicBoolean open = new AtomicBoolean();
  private final AtomicInteger inside = new AtomicInteger();

  /** Blocks every message until {@link #release}. */
  public BlockingHandler() {}

  @Override
  public void handle(P payload, HandlerContext context) throws InterruptedException {
    inside.incrementAndGet();
    entered.release();
    try {
      leave.acquire();
    } finally {
      inside.decrementAndGet();
    }
  }

  /**
   * Waits until {@code messages} more messages have entered the handler since the last call.
   *
   * @throws AssertionError if they have not within {@code longest}
   */
  public void awaitEntered(int messages, Duration longest) throws InterruptedException {
    if (!entered.tryAcquire(messages, longest.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new AssertionError(
          "%d messages should have entered the handler within %s, and only %d did"
              .formatted(messages, Humanize.duration(longest), entered.availablePermits()));
    }
  }

  /** Returns the number of messages that are blocked now. */
  public int inside() {
    return inside.get();
  }

  /** Releases one message: a blocked one, or the next one. */
  public void releaseOne() {
    leave.release();
  }

  /** Releases every message, now and later. Idempotent. */
  public void release() {
    if (open.compareAndSet(false, true)) {
      leave.release(EVERY_MESSAGE);
    }
  }
}
