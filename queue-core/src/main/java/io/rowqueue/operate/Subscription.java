package io.rowqueue.operate;

import io.rowqueue.Topic;

/**
 * That a topic gets a copy of what is published under a source. Immutable.
 *
 * @param source what messages are published under; it may be a topic, too
 * @param topic where the copies go
 */
public record Subscription(Topic source, Topic topic) {

  /**
   * The same by their names.
   *
   * @throws io.rowqueue.InvalidMessageException if one of them cannot be stored
   */
  public static Subscription of(String source, String topic) {
    return new Subscription(new Topic(source), new Topic(topic));
  }

  /** As in {@code order.placed -> stock.reserve}. */
  @Override
  public String toString() {
    return source + " -> " + topic;
  }
}
