package io.rowqueue.testkit;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Waits inside the handler until it is let go, so that a test can act in between. Thread-safe.
 *
 * @param <P> the payload's type
 */
public class BlockingHandler<P> implements MessageHandler<P> {

  private final Semaphore entered = new Semaphore(0);
  private final CountDownLatch released = new CountDownLatch(1);

  /** Holds every message until {@link #release}. */
  public BlockingHandler() {}

  @Override
  public void handle(P payload, HandlerContext context) throws InterruptedException {
    entered.release();
    released.await();
  }

  /**
   * Waits until {@code messages} more messages have entered the handler.
   *
   * @throws AssertionError if they have not within {@code longest}
   */
  public void awaitEntered(int messages, Duration longest) throws InterruptedException {
    if (!entered.tryAcquire(messages, longest.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new AssertionError(
          "%d messages should have entered the handler within %s, and only %d did"
              .formatted(messages, longest, entered.availablePermits()));
    }
  }

  /** Lets go of every message, now and later. */
  public void release() {
    released.countDown();
  }
}
