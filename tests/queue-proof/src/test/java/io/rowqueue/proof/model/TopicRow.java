package io.rowqueue.proof.model;

import org.jspecify.annotations.Nullable;

/** A row of {@code queue_topic}. */
record TopicRow(boolean paused, @Nullable Integer keepDays, @Nullable Integer inFlight) {

  static final TopicRow DEFAULTS = new TopicRow(false, null, null);

  String line(String topic) {
    return "'%s' %s, kept for %s days, %s at once"
        .formatted(topic, paused ? "paused" : "open", keepDays, inFlight);
  }
}
