package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.MessageId;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.worker.internal.WorkerThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Deletes the separately stored payloads of messages acked by this worker, right after the ack;
 * maintenance deletes the rest. Thread-safe.
 */
final class AckedBodies {

  private static final int REMEMBERED = 10_000;
  private static final int AT_ONCE = 100;
  private static final long POLL_MILLIS = 200;

  private final BodySweep sweep;
  private final WorkerThreads threads;
  private final BlockingQueue<MessageId> ids = new LinkedBlockingQueue<>(REMEMBERED);

  /** Started on demand, since most workers never have such payloads. */
  private final AtomicBoolean started = new AtomicBoolean();

  AckedBodies(BodySweep sweep, WorkerThreads threads) {
    this.sweep = sweep;
    this.threads = threads;
  }

  /** Schedules the deletion of the payload of {@code claim}, whose message may be gone. */
  void add(Claim claim) {
    if (claim.body().isExternal() && ids.offer(claim.id()) && !started.get()) {
      // The message is settled, whether or not a thread can be started.
      threads.guarded(
          "starting to sweep bodies", () -> WorkerThreads.startOnce(started, this::start));
    }
  }

  private void start() {
    threads.repeat("bodies", "sweeping bodies", () -> true, this::sweep);
  }

  private void sweep() throws InterruptedException {
    MessageId first = ids.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
    if (first != null) {
      List<MessageId> spent = new ArrayList<>(List.of(first));
      ids.drainTo(spent, AT_ONCE - 1);
      var unused = sweep.sweep(spent);
    }
  }
}
