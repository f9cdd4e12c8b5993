package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.progress.ProgressStore.ProgressReport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running attempts. Thread-safe. */
final class Running {

  private static final Logger LOG = LoggerFactory.getLogger(Running.class);

  private final InFlight inFlight;
  private final ServerSideCut cutter;
  private final Map<Handling, Overdue> handlings = new ConcurrentHashMap<>();
  private volatile boolean stopping;

  Running(InFlight inFlight, ServerSideCut cutter) {
    this.inFlight = inFlight;
    this.cutter = cutter;
  }

  /** Delivers requests that arrived before the attempt was registered. */
  void begun(Handling handling) {
    handlings.put(handling, new Overdue());
    for (Claim claim : handling.claims()) {
      String by = inFlight.cancelRequestedBy(claim);
      if (by != null) {
        handling.requestCancel(ClaimKey.of(claim), by);
      }
    }
    if (stopping) {
      // It was being prepared when the others were interrupted.
      handling.stop();
    }
  }

  void ended(Handling handling) {
    handlings.remove(handling);
  }

  /** Sends a cancellation request by {@code by} to the handler of {@code key}, if it runs. */
  void requestCancel(ClaimKey key, String by) {
    handlings.keySet().forEach(handling -> handling.requestCancel(key, by));
  }

  /** Returns the progress that handlers reported since the last call. */
  List<ProgressReport> takeReports() {
    return handlings.keySet().stream().flatMap(one -> one.takeReports().stream()).toList();
  }

  /** Returns at most {@code most} of the running claims. */
  List<Claim> claims(int most) {
    return handlings.keySet().stream().flatMap(one -> one.claims().stream()).limit(most).toList();
  }

  /** Returns the claim whose handler calls this; null if none does. */
  @Nullable Claim caller() {
    return handlings.keySet().stream()
        .filter(Handling::isOnThisThread)
        .map(Handling::claim)
        .findFirst()
        .orElse(null);
  }

  /** Interrupts all attempts except the caller's, including those that start later. */
  void stop() {
    stopping = true;
    handlings.keySet().stream()
        .filter(handling -> !handling.isOnThisThread())
        .forEach(Handling::stop);
  }

  /**
   * Escalates timed-out attempts. Those whose handlers ignore every step are taken away from their
   * threads and passed to {@code abandoned}. What fails for one costs no other its step. For one
   * thread.
   */
  void watch(Consumer<Handling> abandoned) {
    handlings.forEach(
        (handling, overdue) -> {
          try {
            if (overdue.step(handling, cutter)) {
              handlings.remove(handling);
              abandoned.accept(handling);
            }
          } catch (Throwable e) {
            LOG.error("a step of the timeout of {} failed", handling.claim(), e);
          }
        });
  }

  /**
   * How far the watch has gone with one handling: an interrupt at the timeout, the connection cut
   * two seconds later, and two more until the settlement is taken over. Confined to the watch's
   * thread.
   */
  private static final class Overdue {

    private static final long GRACE_NANOS = 2_000_000_000L;

    private final long begunNanos = System.nanoTime();
    private long cutAtNanos = Long.MAX_VALUE;
    private boolean cut;

    /** Does what is due now; true if the handling was taken away from its thread. */
    boolean step(Handling handling, Handling.ConnectionCutter cutter) {
      long running = System.nanoTime() - begunNanos;
      handling.interruptIfOver();
      if (handling.isOverdue() && cutAtNanos == Long.MAX_VALUE) {
        cutAtNanos = running + GRACE_NANOS;
      }
      if (running < cutAtNanos) {
        return false;
      }
      if (!cut) {
        cut = true;
        handling.cut(cutter);
        return false;
      }
      return running >= cutAtNanos + GRACE_NANOS && handling.abandon();
    }
  }
}
