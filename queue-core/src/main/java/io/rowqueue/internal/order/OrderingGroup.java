package io.rowqueue.internal.order;

import io.rowqueue.internal.message.TopicKeyId;

/**
 * The messages of a topic that share an ordering key.
 *
 * @param topic the topic's name
 * @param key the ordering key
 */
public record OrderingGroup(String topic, String key) {

  /** The primary key of the group's rows. */
  TopicKeyId id() {
    return TopicKeyId.of(topic, key);
  }
}
