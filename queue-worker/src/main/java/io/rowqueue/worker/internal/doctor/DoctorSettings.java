package io.rowqueue.worker.internal.doctor;

import io.rowqueue.MessageLimits;
import io.rowqueue.worker.Role;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The thresholds of the checks.
 *
 * @param role the account's role
 * @param threads threads per worker; null if unknown
 * @param limits the maximum message size
 * @param oldMessage an available message that has waited longer is a warning
 * @param longTransaction a transaction that has been open longer is a warning
 */
public record DoctorSettings(
    Role role,
    @Nullable Integer threads,
    MessageLimits limits,
    Duration oldMessage,
    Duration longTransaction) {

  /** From this age on an available message is old: here, on the dashboard and for its alert. */
  public static final Duration OLD_MESSAGE = Duration.ofMinutes(5);

  /** Validates the thresholds. */
  public DoctorSettings {
    Objects.requireNonNull(role, "role");
    if (threads != null && (threads < 1 || threads > 1_000)) {
      throw new IllegalArgumentException(
          "threads must lie between 1 and 1000, not %d".formatted(threads));
    }
    if (oldMessage.isNegative() || longTransaction.isNegative()) {
      throw new IllegalArgumentException(
          "warn-message-age and warn-transaction-age must not be negative");
    }
  }

  /**
   * The defaults: a worker's account, {@link #OLD_MESSAGE} and transactions that are open for 10
   * minutes.
   */
  public static DoctorSettings defaults() {
    return new DoctorSettings(
        Role.WORKER, null, MessageLimits.defaults(), OLD_MESSAGE, Duration.ofMinutes(10));
  }

  /** Returns a copy for an account of another role. */
  public DoctorSettings withRole(Role value) {
    return new DoctorSettings(value, threads, limits, oldMessage, longTransaction);
  }

  /** Returns a copy for workers with this many threads. */
  public DoctorSettings withThreads(int value) {
    return new DoctorSettings(role, value, limits, oldMessage, longTransaction);
  }

  /** Returns a copy for another maximum message size. */
  public DoctorSettings withLimits(MessageLimits value) {
    return new DoctorSettings(role, threads, value, oldMessage, longTransaction);
  }

  /** Returns a copy with another threshold for waiting messages. */
  public DoctorSettings withOldMessage(Duration value) {
    return new DoctorSettings(role, threads, limits, value, longTransaction);
  }

  /** Returns a copy with another threshold for open transactions. */
  public DoctorSettings withLongTransaction(Duration value) {
    return new DoctorSettings(role, threads, limits, oldMessage, value);
  }
}
