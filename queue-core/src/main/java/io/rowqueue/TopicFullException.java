package io.rowqueue;

import io.rowqueue.operate.DepthLimit;

/**
 * A topic is over its back-pressure limit, and the producer rejects messages to it. Nothing was
 * sent; the caller's transaction is unchanged. Try again later, or drop the message.
 */
public final class TopicFullException extends QueueException {

  private final Topic topic;
  private final DepthLimit limit;
  private final DepthSample sample;

  TopicFullException(Topic topic, DepthLimit limit, DepthSample sample) {
    super(
        "nothing was enqueued, since topic '%s' is over its back-pressure limit: %d messages waited at %s, the oldest for %d s; its limit is %s; try again when workers have caught up"
            .formatted(
                topic, sample.depth(), sample.sampledAt(), sample.oldest().toSeconds(), limit));
    this.topic = topic;
    this.limit = limit;
    this.sample = sample;
  }

  /** The topic. */
  public Topic topic() {
    return topic;
  }

  /** Its limit. */
  public DepthLimit limit() {
    return limit;
  }

  /** The last sample, which may be a few seconds old. */
  public DepthSample sample() {
    return sample;
  }
}
