package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.progress.ProgressStore;
import io.rowqueue.internal.progress.ProgressStore.ProgressReport;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the progress reported by this worker's handlers once a second, and deletes the progress of
 * finished attempts. Sends no statement if none was reported.
 */
@Singleton
public final class ProgressFlusher {

  private static final Logger LOG = LoggerFactory.getLogger(ProgressFlusher.class);

  private static final Duration EVERY = Duration.ofSeconds(1);

  private static final long SAY_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final Dispatcher dispatcher;
  private final ProgressStore store;
  private final WorkerThreads threads;
  private final Set<ClaimKey> written = new HashSet<>();
  private long saidNanos = System.nanoTime() - SAY_EVERY_NANOS;

  @Inject
  ProgressFlusher(Dispatcher dispatcher, ProgressStore store, WorkerThreads threads) {
    this.dispatcher = dispatcher;
    this.store = store;
    this.threads = threads;
  }

  public void start() {
    threads.loop("progress", EVERY, this::turn);
  }

  /**
   * Progress that cannot be written is dropped: an update follows soon, and handlers must not wait
   * for it.
   */
  private void turn() {
    try {
      write(dispatcher.takeReports());
      forgetEnded();
    } catch (QueueException e) {
      if (System.nanoTime() - saidNanos >= SAY_EVERY_NANOS) {
        saidNanos = System.nanoTime();
        LOG.warn(
            "progress reported by handlers is not written while this fails: {}", FailureText.of(e));
      }
    }
  }

  private void write(List<ProgressReport> reports) {
    for (int from = 0; from < reports.size(); from += ProgressStore.MOST) {
      List<ProgressReport> some =
          reports.subList(from, Math.min(reports.size(), from + ProgressStore.MOST));
      some.forEach(report -> written.add(report.claim()));
      store.report(some);
    }
  }

  private void forgetEnded() {
    if (written.isEmpty()) {
      return;
    }
    Set<ClaimKey> known = dispatcher.known();
    List<ClaimKey> ended =
        written.stream().filter(claim -> !known.contains(claim)).limit(ProgressStore.MOST).toList();
    store.forget(ended);
    ended.forEach(written::remove);
  }
}
