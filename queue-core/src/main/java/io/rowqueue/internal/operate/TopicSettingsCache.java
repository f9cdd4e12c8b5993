package io.rowqueue.internal.operate;

import io.rowqueue.Topic;
import io.rowqueue.internal.cancel.PolledCancelRequest;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.operate.DepthLimit;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What operators want, as this process read it last: to ask it costs no statement. Whoever runs a
 * worker refreshes it about once a second. Thread-safe.
 */
public interface TopicSettingsCache {

  /**
   * Reads everything anew when it is answered, on the side of another read.
   *
   * @param worker the worker whose own flag is read as well; null for none
   */
  PiggybackQuery question(@Nullable LockId worker);

  /**
   * Reads everything anew, in a read of its own.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if it cannot be read; what was read last stays
   */
  void refresh(@Nullable LockId worker);

  /** When something was read last, as {@link System#nanoTime()}; the distant past at first. */
  long readNanos();

  /** Whether the topic's messages must not be claimed. Read now if nothing was read before. */
  boolean isPaused(Topic topic);

  /** Whether acknowledged messages of the topic are archived. Read now if nothing was before. */
  boolean isKept(Topic topic);

  /** What holds for the topic in the whole cluster. Read now if nothing was read before. */
  TopicLimits limits(Topic topic);

  /** Whether a worker had work for the topic and no slot, in the two seconds before the reading. */
  boolean isWanted(Topic topic);

  /** From when on the topic is overfull. Read now if nothing was read before. */
  DepthLimit depthLimit(Topic topic);

  /** Topics that were overfull when their limit was taken away, and are called so since. */
  Set<Topic> fullWithoutLimit();

  /** What is to be cancelled: of what the worker held, and of what nobody did. */
  List<PolledCancelRequest> cancelRequests();

  /** Batches of which nothing more shall begin, and that are not complete. */
  Set<Long> cancelledBatches();

  /** Whether somebody wants the worker to drain and end. */
  boolean isDrainRequested();
}
