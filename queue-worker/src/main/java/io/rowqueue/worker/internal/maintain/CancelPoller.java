package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.cancel.Cancellations;
import io.rowqueue.internal.cancel.Cancellations.PolledCancelRequest;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.Batches;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies cancellation requests for messages and batches, which are read together with the
 * operators' other requests: notifies this worker's handlers, and cancels unclaimed messages in the
 * database. Sends no statement if there are no requests.
 */
@Singleton
public final class CancelPoller {

  private static final Logger LOG = LoggerFactory.getLogger(CancelPoller.class);

  private static final Duration EVERY = Duration.ofMillis(100);

  /** A sweep scans messages; a batch kept open by a dead letter would make it scan for ever. */
  private static final Duration SWEEP_AGAIN = Duration.ofSeconds(10);

  private final TopicSettingsCache settings;
  private final Dispatcher dispatcher;
  private final Cancellations cancellations;
  private final Batches batches;
  private final WorkerThreads threads;
  private long heededNanos = System.nanoTime();
  private Set<Long> swept = Set.of();
  private long sweptNanos = System.nanoTime();

  @Inject
  CancelPoller(
      TopicSettingsCache settings,
      Dispatcher dispatcher,
      Cancellations cancellations,
      Batches batches,
      WorkerThreads threads) {
    this.settings = settings;
    this.dispatcher = dispatcher;
    this.cancellations = cancellations;
    this.batches = batches;
    this.threads = threads;
  }

  public void start() {
    threads.loop("cancel", EVERY, this::turn);
  }

  private void turn() {
    long read = settings.readNanos();
    if (read - heededNanos > 0) {
      heededNanos = read;
      threads.each("cancelling messages", settings.cancelRequests(), this::apply);
      cancelMembers(settings.cancelledBatches());
    }
  }

  private void cancelMembers(Set<Long> cancelled) {
    boolean allSwept = swept.containsAll(cancelled);
    boolean lately = System.nanoTime() - sweptNanos < SWEEP_AGAIN.toNanos();
    if (!cancelled.isEmpty()) {
      dispatcher.cancelMembers(cancelled);
    }
    if (!cancelled.isEmpty() && !(allSwept && lately)) {
      swept = Set.copyOf(cancelled);
      sweptNanos = System.nanoTime();
      int taken = batches.sweep();
      if (taken > 0) {
        LOG.info(
            "{} removed without being processed",
            Humanize.count(
                taken, "message of a cancelled batch was", "messages of cancelled batches were"));
      }
    }
  }

  private void apply(PolledCancelRequest requested) {
    ClaimKey claim = requested.claim();
    if (claim != null) {
      dispatcher.cancel(claim, requested.by());
    } else if (requested.state() == PolledCancelRequest.State.GONE) {
      cancellations.forget(requested.id());
    } else if (cancellations.apply(requested.id())) {
      String by = requested.by().isEmpty() ? "an unknown user" : requested.by();
      LOG.info(
          "message {} is cancelled; {} requested it while the message was claimed",
          requested.id(),
          by);
    }
  }
}
