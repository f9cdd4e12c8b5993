package io.rowqueue.testkit;

import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.handle.HandlingListener;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The handler's thread. Its creator enforces the timeout as a worker does: the handler is
 * interrupted, and loses its message if it ignores the interrupt.
 */
final class WatchedThread extends Thread implements HandlingListener {

  /** How long a handler may take to react to an interrupt. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final HandlerPipeline pipeline;
  private final List<Claim> claims;
  private final Recording recording;
  private final @Nullable String cancelledBy;
  private final CountDownLatch begunOrEnded = new CountDownLatch(1);
  private volatile @Nullable Handling handling;
  private volatile @Nullable Throwable failure;

  WatchedThread(
      HandlerPipeline pipeline,
      List<Claim> claims,
      Recording recording,
      @Nullable String cancelledBy) {
    super("queue-handler-test");
    setDaemon(true);
    this.pipeline = pipeline;
    this.claims = claims;
    this.recording = recording;
    this.cancelledBy = cancelledBy;
  }

  /** Runs until the attempt ends, at the latest after {@code patience}. */
  void runWatched(Duration patience) {
    start();
    try {
      if (!begunOrEnded.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError(
            "the handler was not reached within %s; its thread's stack:%n%s"
                .formatted(Humanize.duration(patience), stack()));
      }
      while (!joined(timeLeft(patience))) {
        if (isOver(patience)) {
          end();
          break;
        }
      }
    } catch (InterruptedException e) {
      interrupt();
      Thread.currentThread().interrupt();
      throw new AssertionError("the test's thread was interrupted", e);
    }
    Throwable unexpected = failure;
    if (unexpected != null) {
      throw new AssertionError("the pipeline failed: " + unexpected, unexpected);
    }
  }

  private boolean joined(Duration longest) throws InterruptedException {
    TimeUnit.MILLISECONDS.timedJoin(this, Math.max(1, longest.toMillis()));
    return !isAlive();
  }

  /** A handler may extend its timeout, but not beyond the test's patience. */
  private Duration timeLeft(Duration patience) {
    Handling running = handling;
    if (running == null) {
      return patience;
    }
    Duration longest = running.timeout().compareTo(patience) < 0 ? running.timeout() : patience;
    return longest.minusNanos(running.runningNanos());
  }

  private boolean isOver(Duration patience) {
    return timeLeft(patience).toMillis() <= 0;
  }

  private void end() throws InterruptedException {
    Handling running = handling;
    if (running == null) {
      return;
    }
    running.interrupt();
    if (joined(GRACE)) {
      return;
    }
    recording.stuckAt(stack());
    if (running.abandon()) {
      pipeline.settleAbandoned(running, HandlingListener.NONE);
    }
  }

  private String stack() {
    StringBuilder lines = new StringBuilder();
    for (StackTraceElement frame : getStackTrace()) {
      lines.append("  at ").append(frame).append('\n');
    }
    return lines.toString();
  }

  @Override
  public void run() {
    Iterator<Claim> more = claims.iterator();
    try {
      while (more.hasNext()) {
        boolean mine =
            pipeline.handle(more.next(), () -> more.hasNext() ? more.next() : null, this);
        if (!mine) {
          return;
        }
      }
    } catch (Throwable e) {
      failure = e;
    } finally {
      begunOrEnded.countDown();
    }
  }

  @Override
  public void begun(Handling begun) {
    String by = cancelledBy;
    if (by != null) {
      begun.claims().forEach(claim -> begun.requestCancel(ClaimKey.of(claim), by));
    }
    handling = begun;
    begunOrEnded.countDown();
  }

  @Override
  public void ended(Handling ended) {}

  @Override
  public void settled(Claim claim, Outcome outcome) {
    recording.end(claim).outcome = outcome;
  }
}
