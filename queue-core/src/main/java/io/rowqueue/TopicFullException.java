package io.rowqueue;

import io.rowqueue.operate.DepthLimit;

/**
 * A topic is overfull, and a producer that heeds it was asked for one message more. Nothing was
 * sent; a transaction of the caller's is as it was. Try again later, or drop the message.
 */
public final class TopicFullException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final Topic topic;
  private final DepthLimit limit;
  private final DepthSample verdict;

  TopicFullException(Topic topic, DepthLimit limit, DepthSample verdict) {
    super(
        "nothing was enqueued, since topic '%s' is overfull: %d waited at %s, the oldest for %d s; its limit is %s; try again when workers have caught up"
            .formatted(
                topic, verdict.depth(), verdict.sampledAt(), verdict.oldest().toSeconds(), limit));
    this.topic = topic;
    this.limit = limit;
    this.verdict = verdict;
  }

  /** Which one. */
  public Topic topic() {
    return topic;
  }

  /** What it was judged by. */
  public DepthLimit limit() {
    return limit;
  }

  /** How full it was found last, which may be a few seconds ago. */
  public DepthSample verdict() {
    return verdict;
  }
}
