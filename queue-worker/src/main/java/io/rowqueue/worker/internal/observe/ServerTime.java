package io.rowqueue.worker.internal.observe;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of the server's time: read occasionally and extrapolated with the local clock. For
 * metrics, never for decisions. Thread-safe.
 */
@Singleton
public final class ServerTime {

  private final Provider<Transactions> transactions;
  private volatile @Nullable Reading last;

  @Inject
  public ServerTime(Provider<Transactions> transactions) {
    this.transactions = transactions;
  }

  /** Reads the server's time, and returns it. */
  public Instant read() {
    long before = System.nanoTime();
    Instant there =
        transactions.get().read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
    long after = System.nanoTime();
    last = new Reading(there, before + (after - before) / 2);
    return there;
  }

  /**
   * Returns the time since {@code then}, zero if it is in the future; null before the first
   * reading.
   */
  public @Nullable Duration since(Instant then) {
    Reading known = last;
    if (known == null) {
      return null;
    }
    Duration passed =
        Duration.between(then, known.there).plusNanos(System.nanoTime() - known.atNanos);
    return passed.isNegative() ? Duration.ZERO : passed;
  }

  /**
   * Returns the pickup latency of a claim whose attempt begins now: the time since its message was
   * due, also while its ordering key blocked it; null if unknown. Only first attempts have one:
   * retries include their backoff. A delay requested by the producer is excluded for that reason,
   * too.
   */
  public @Nullable Duration pickup(Claim claim) {
    return claim.attempts() == 0 ? since(claim.createdAt().plus(claim.delay())) : null;
  }

  private record Reading(Instant there, long atNanos) {}
}
