package io.rowqueue.bench.contest;

import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;

/** One way to do something with messages. For one thread. */
public interface Contender extends AutoCloseable {

  /** Short, for a table's first column. */
  String name();

  /** Does it once with so many messages; leaves nothing behind that the next round would meet. */
  Effort round(Meter meter, int messages) throws Exception;

  /**
   * How many times fewer messages it gets in a round, so that slow ones do not take most of a run's
   * time; rates and costs are those of one message anyway.
   */
  default int fewer() {
    return 1;
  }

  @Override
  default void close() {}
}
