package io.rowqueue.operate;

import io.rowqueue.Topic;

/**
 * A subscription: the topic gets a copy of each message published under the source. Immutable.
 *
 * @param source the name under which messages are published; it may be a topic, too
 * @param topic the topic that gets the copies
 */
public record Subscription(Topic source, Topic topic) {

  /**
   * A subscription by names.
   *
   * @throws io.rowqueue.InvalidMessageException if one of them is invalid
   */
  public static Subscription of(String source, String topic) {
    return new Subscription(new Topic(source), new Topic(topic));
  }

  /** Such as {@code order.placed -> stock.reserve}. */
  @Override
  public String toString() {
    return source + " -> " + topic;
  }
}
