package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.progress.ProgressReport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The handlings that run, from their handler's start to its end. Thread-safe. */
final class Running {

  private final InFlight inFlight;
  private final ServerSideCut cutter;
  private final Map<Handling, Overdue> handlings = new ConcurrentHashMap<>();
  private volatile boolean stopping;

  Running(InFlight inFlight, ServerSideCut cutter) {
    this.inFlight = inFlight;
    this.cutter = cutter;
  }

  /** Tells it what was asked for before it was known. */
  void begun(Handling handling) {
    handlings.put(handling, new Overdue());
    for (Claim claim : handling.claims()) {
      String by = inFlight.cancelRequestedBy(claim);
      if (by != null) {
        handling.requestCancel(ClaimKey.of(claim), by);
      }
    }
    if (stopping) {
      // It was still being prepared when the others were interrupted.
      handling.stop();
    }
  }

  void ended(Handling handling) {
    handlings.remove(handling);
  }

  /** Tells the handler of {@code key}, if it runs, that {@code by} wants it cancelled. */
  void requestCancel(ClaimKey key, String by) {
    handlings.keySet().forEach(handling -> handling.requestCancel(key, by));
  }

  /** What handlers have said of how far they are, since this was called last. */
  List<ProgressReport> takeReports() {
    return handlings.keySet().stream().flatMap(one -> one.takeReports().stream()).toList();
  }

  /** What is handled, {@code most} of it at most. */
  List<Claim> claims(int most) {
    return handlings.keySet().stream().flatMap(one -> one.claims().stream()).limit(most).toList();
  }

  /** Interrupts them all, and what begins from now on. */
  void stop() {
    stopping = true;
    handlings.keySet().forEach(Handling::stop);
  }

  /**
   * Does to each what is due at its timeout. Those whose handlers heed nothing are taken away from
   * their threads and given to {@code abandoned}. For one thread.
   */
  void watch(Consumer<Handling> abandoned) {
    handlings.forEach(
        (handling, overdue) -> {
          if (overdue.step(handling, cutter)) {
            handlings.remove(handling);
            abandoned.accept(handling);
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

    private long cutAtNanos = Long.MAX_VALUE;
    private boolean cut;

    /** Does what is due now; true if the handling was taken away from its thread. */
    boolean step(Handling handling, Handling.ConnectionCutter cutter) {
      long running = handling.runningNanos();
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
