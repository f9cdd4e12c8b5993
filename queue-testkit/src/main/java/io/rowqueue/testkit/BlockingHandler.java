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
 * Waits inside the handler until it is let go, so that a test can act in between. An interrupt ends
 * the wait with {@link InterruptedException}, as in a handler of a team that blocks. Thread-safe.
 *
 * @param <P> the payload's type
 */
public class BlockingHandler<P> implements MessageHandler<P> {

  private static final int EVERY_MESSAGE = 1 << 30;

  private final Semaphore entered = new Semaphore(0);
  private final Semaphore leave = new Semaphore(0);
  private final AtomicBoolean open = new AtomicBoolean();
  private final AtomicInteger inside = new AtomicInteger();

  /** Holds every message until {@link #release}. */
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
   * Waits until {@code messages} more messages have entered the handler than were awaited before.
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

  /** How many messages wait inside at this moment. */
  public int inside() {
    return inside.get();
  }

  /** Lets go of one message: one that waits, or the next to come. */
  public void releaseOne() {
    leave.release();
  }

  /** Lets go of every message, now and later. Idempotent. */
  public void release() {
    if (open.compareAndSet(false, true)) {
      leave.release(EVERY_MESSAGE);
    }
  }
}
