package io.rowqueue.internal.body;

import io.rowqueue.MessageId;
import java.util.Collection;

/**
 * Deletes the payloads beside the rows of messages that are gone: acknowledged, cancelled or
 * discarded. Thread-safe; any number of workers may sweep at once.
 */
public interface BodySweep {

  /**
   * Deletes those of {@code ids} whose messages are gone.
   *
   * @return how many messages' payloads it was
   */
  int sweep(Collection<MessageId> ids);

  /**
   * Looks at all there are, {@code batch} at a time, and deletes those whose messages are gone.
   *
   * @return how many messages' payloads it was
   */
  int sweepAll(int batch);
}
