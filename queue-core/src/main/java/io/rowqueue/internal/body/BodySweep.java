package io.rowqueue.internal.body;

import io.rowqueue.MessageId;
import java.util.Collection;

/**
 * Deletes external payloads whose messages no longer exist, because they were acknowledged,
 * cancelled or discarded. Thread-safe; any number of workers may sweep concurrently.
 */
public interface BodySweep {

  /**
   * Deletes the payloads of those {@code ids} whose messages no longer exist.
   *
   * @return the number of payloads deleted
   */
  int sweep(Collection<MessageId> ids);

  /**
   * Checks all payloads, {@code batch} per query, and deletes those whose messages no longer exist.
   *
   * @return the number of payloads deleted
   */
  int sweepAll(int batch);
}
