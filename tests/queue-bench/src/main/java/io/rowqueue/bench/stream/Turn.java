package io.rowqueue.bench.stream;

import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;

/**
 * What is measured of a way: that payloads are laid down, or that they are read.
 *
 * @param films of every turn
 */
record Turn(Way way, Films films, boolean isRead) implements Contender {

  /** They are laid down; that they are read is not measured, nor done. */
  static Turn written(Way way, Films films) {
    return new Turn(way, films, false);
  }

  /** They are read; that they were laid down before is not measured. */
  static Turn read(Way way, Films films) {
    return new Turn(way, films, true);
  }

  @Override
  public String name() {
    return way.name();
  }

  @Override
  public Effort round(Meter meter, int megabytes) throws Exception {
    try {
      Mark from = meter.mark();
      way.write(films);
      return isRead ? way.read(films, meter) : meter.since(from, megabytes);
    } finally {
      way.clean();
    }
  }
}
