package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Instant;

/** The time that decides, which is not this host's. */
final class DatabaseNow {

  private DatabaseNow() {}

  static Instant of(Transactions queue) {
    return queue.read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
  }
}
