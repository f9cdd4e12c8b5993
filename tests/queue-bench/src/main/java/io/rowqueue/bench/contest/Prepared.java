package io.rowqueue.bench.contest;

import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;

/**
 * Another's turns, with something before and behind each that is not measured.
 *
 * @param contender whose turns they are
 * @param before comes before each
 * @param after comes behind each, also one that fails
 */
public record Prepared(Contender contender, Step before, Step after) implements Contender {

  @Override
  public String name() {
    return contender.name();
  }

  @Override
  public Effort round(Meter meter, int messages) throws Exception {
    before.run(messages);
    try {
      return contender.round(meter, messages);
    } finally {
      after.run(messages);
    }
  }

  @Override
  public void close() {
    contender.close();
  }

  /** What is not measured. */
  @FunctionalInterface
  public interface Step {

    /** Comes before or behind a turn of so many messages. */
    void run(int messages) throws Exception;
  }
}
