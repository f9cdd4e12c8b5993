package io.rowqueue.bench.stream;

import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;

/** One way to lay payloads down with a message each, and to read them again. For one thread. */
interface Way extends AutoCloseable {

  /** Short, for a table's first column. */
  String name();

  /** Lays them down, one after another, each committed and on the disk before the next. */
  void write(Films films) throws Exception;

  /**
   * Reads all of them, one after another, to their ends; then message and payload are gone, as far
   * as the way lets them go by itself.
   *
   * @return what it took from the first byte on
   */
  Effort read(Films films, Meter meter) throws Exception;

  /** Leaves nothing; not measured. */
  void clean() throws Exception;

  @Override
  void close();
}
