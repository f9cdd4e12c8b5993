package io.rowqueue.worker.cli;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.database.Transactions;
import java.time.Instant;

/** The time that decides, which is not this host's. */
final class DatabaseNow {

  private DatabaseNow() {}

  static Instant of(Transactions queue) {
    return queue.read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
  }
}
