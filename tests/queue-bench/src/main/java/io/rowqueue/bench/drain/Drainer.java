package io.rowqueue.bench.drain;

import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;

/** Somebody who empties a queue of its own. */
interface Drainer extends Contender {

  /** Puts so many messages into the queue, which is empty; not measured. */
  void fill(int messages) throws Exception;

  /**
   * Handles all of them, tells {@code progress} of each, and of the moment when none is left; then
   * cleans up, which is not measured, and returns.
   */
  void drain(Progress progress) throws Exception;

  @Override
  default Effort round(Meter meter, int messages) throws Exception {
    fill(messages);
    Progress progress = new Progress(meter, messages);
    drain(progress);
    return progress.effort();
  }
}
