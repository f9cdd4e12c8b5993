package io.rowqueue.internal.enqueue;

import io.rowqueue.Topic;

/**
 * Notified of messages that were published without any subscription, on the publisher's thread.
 * Thread-safe.
 */
@FunctionalInterface
public interface PublicationListener {

  /** Does nothing. */
  PublicationListener NONE = (source, messages) -> {};

  /**
   * No topic was subscribed to {@code source} when {@code messages} of one call were published
   * under it, so nothing of them is stored. Called when the call returns; the caller's transaction
   * may still be rolled back.
   */
  void publishedWithoutSubscribers(Topic source, int messages);
}
