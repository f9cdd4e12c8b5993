package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What time it is on the server, as far as this process knows: read now and then, and reckoned on
 * by the local clock. For measurements, never for decisions. Thread-safe.
 */
@Singleton
final class ServerTime {

  private final Provider<Transactions> transactions;
  private volatile @Nullable Reading last;

  @Inject
  ServerTime(Provider<Transactions> transactions) {
    this.transactions = transactions;
  }

  /** Asks the server. */
  void read() {
    long before = System.nanoTime();
    Instant there =
        transactions.get().read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
    long after = System.nanoTime();
    last = new Reading(there, before + (after - before) / 2);
  }

  /** How long {@code then} is past, zero if it lies ahead; null while nothing was read. */
  @Nullable Duration since(Instant then) {
    Reading known = last;
    if (known == null) {
      return null;
    }
    Duration passed =
        Duration.between(then, known.there).plusNanos(System.nanoTime() - known.atNanos);
    return passed.isNegative() ? Duration.ZERO : passed;
  }

  private record Reading(Instant there, long atNanos) {}
}
