package io.rowqueue.bench.topics;

import io.rowqueue.handle.HandlerSettings;
import java.time.Duration;

/**
 * The topic that the quiet ones have beside them.
 *
 * @param backlog how many of its messages wait; 0 for none at all
 * @param each how long its handler takes for one
 * @param settings of its binding
 */
record Crowd(int backlog, Duration each, HandlerSettings settings) {

  static final Crowd NONE = new Crowd(0, Duration.ZERO, HandlerSettings.defaults());

  /** The same with so many threads at most. */
  Crowd limitedTo(int threads) {
    return new Crowd(backlog, each, settings.withMaxThreads(threads));
  }
}
