package io.rowqueue;

import io.rowqueue.internal.message.Headers;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The result of publishing one message. Immutable.
 *
 * @param source the topic under which it was published
 * @param copies the copy in each subscribed topic, ordered by topic; empty if there was none
 */
public record Publication(Topic source, Map<Topic, MessageId> copies) {

  /** The header of a copy that contains the source; enqueued messages do not have it. */
  public static final String SOURCE_HEADER = Headers.SOURCE;

  /** Copies {@code copies}, keeping their order. */
  public Publication {
    copies = Collections.unmodifiableMap(new LinkedHashMap<>(copies));
  }

  /**
   * Requires at least one copy. In the caller's transaction, roll back after the exception unless
   * the other writes should remain.
   *
   * @return this
   * @throws NoSubscriptionException if there is no copy
   */
  public Publication requireCopies() {
    if (copies.isEmpty()) {
      throw new NoSubscriptionException(
          "a message was published under '%s', but no topic is subscribed to it; `queue-worker subscriptions add %s TOPIC` adds a subscription"
              .formatted(source, source));
    }
    return this;
  }
}
