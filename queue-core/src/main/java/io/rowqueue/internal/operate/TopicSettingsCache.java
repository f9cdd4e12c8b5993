package io.rowqueue.internal.operate;

import io.rowqueue.Topic;
import io.rowqueue.internal.cancel.Cancellations.PolledCancelRequest;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.operate.DepthLimit;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings and requests of operators, as this process last read them. The getters send no statement
 * unless noted. A running worker refreshes them about once a second. Thread-safe.
 */
public interface TopicSettingsCache {

  /**
   * Creates the query that refreshes everything, to be combined with another read.
   *
   * @param worker the worker whose pause and drain requests are read as well; null for none
   */
  PiggybackQuery question(@Nullable LockId worker);

  /**
   * Refreshes everything in a read of its own.
   *
   * @param worker the worker whose pause and drain requests are read as well; null for none
   * @throws io.rowqueue.DatabaseUnavailableException if the read fails; the last values stay
   */
  void refresh(@Nullable LockId worker);

  /** The {@link System#nanoTime()} of the last read; the distant past before the first. */
  long readNanos();

  /** Whether the topic's messages must not be claimed. Refreshes if never read. */
  boolean isPaused(Topic topic);

  /** Whether acknowledged messages of the topic are archived. Refreshes if never read. */
  boolean isKept(Topic topic);

  /** The topic's limits across all workers. Refreshes if never read. */
  TopicLimits limits(Topic topic);

  /** Whether a worker had work for the topic but no slot, within two seconds before the read. */
  boolean isWanted(Topic topic);

  /**
   * The share of the worker's threads, or {@code own} if operators have set none, or it was never
   * read.
   */
  int weight(Topic topic, int own);

  /** The topic's back-pressure limit. Refreshes if never read. */
  DepthLimit depthLimit(Topic topic);

  /** Topics without a limit whose last sample is full, because the limit was removed later. */
  Set<Topic> fullWithoutLimit();

  /** Cancellation requests for messages that the worker has claimed, or that no worker has. */
  List<PolledCancelRequest> cancelRequests();

  /** Cancelled batches that are not complete: their unclaimed messages must not start. */
  Set<Long> cancelledBatches();

  /** Whether an operator has paused the worker. */
  boolean isWorkerPaused();

  /** Whether an operator has requested the worker to drain and stop. */
  boolean isDrainRequested();
}
