package io.rowqueue;

import io.rowqueue.internal.message.Headers;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What has become of a message that was published. Immutable.
 *
 * @param source under which it was published
 * @param copies the copy in each topic that was subscribed, by topic in alphabetical order; empty
 *     if there was none
 */
public record Publication(Topic source, Map<Topic, MessageId> copies) {

  /** The header of a copy that names the source; messages that were enqueued have none. */
  public static final String SOURCE_HEADER = Headers.SOURCE;

  /** Keeps a copy of {@code copies} in their order. */
  public Publication {
    copies = Collections.unmodifiableMap(new LinkedHashMap<>(copies));
  }

  /**
   * For who cannot bear that nobody gets the message. In a transaction of the caller's it must be
   * rolled back then, if what was written before shall not stay.
   *
   * @return this
   * @throws NoSubscriptionException if there is no copy
   */
  public Publication requireCopies() {
    if (copies.isEmpty()) {
      throw new NoSubscriptionException(
          "a message was published under '%s', and no topic is subscribed to it; `queue-worker subscriptions add %s TOPIC` subscribes one"
              .formatted(source, source));
    }
    return this;
  }
}
