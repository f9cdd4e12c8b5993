package io.rowqueue.proof.bench.contest;

import io.rowqueue.proof.bench.measure.Effort;
import io.rowqueue.proof.bench.measure.Meter;

/** One way to do something with messages. For one thread. */
public interface Contender extends AutoCloseable {

  /** Short, for a table's first column. */
  String name();

  /** Does it once with so many messages; leaves nothing behind that the next round would meet. */
  Effort round(Meter meter, int messages) throws Exception;

  @Override
  default void close() {}
}
