package io.rowqueue.worker.internal.doctor;

import io.rowqueue.MessageLimits;
import io.rowqueue.worker.Role;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the deployment is measured by.
 *
 * @param role what the account is for
 * @param threads of each worker; null if nobody has said
 * @param limits the largest message
 * @param oldMessage an available message that has waited for longer is a finding
 * @param longTransaction a transaction that is open for longer is a finding
 */
public record DoctorSettings(
    Role role,
    @Nullable Integer threads,
    MessageLimits limits,
    Duration oldMessage,
    Duration longTransaction) {

  /** Checks the times. */
  public DoctorSettings {
    Objects.requireNonNull(role, "role");
    if (threads != null && (threads < 1 || threads > 1_000)) {
      throw new IllegalArgumentException(
          "threads must lie between 1 and 1000, not %d".formatted(threads));
    }
    if (oldMessage.isNegative() || longTransaction.isNegative()) {
      throw new IllegalArgumentException("old-message and long-transaction must not be negative");
    }
  }

  /**
   * A worker with the defaults; messages that wait for 15 minutes and transactions that are open
   * for 10.
   */
  public static DoctorSettings defaults() {
    return new DoctorSettings(
        Role.WORKER,
        null,
        MessageLimits.defaults(),
        Duration.ofMinutes(15),
        Duration.ofMinutes(10));
  }

  /** The same for an account of another role. */
  public DoctorSettings withRole(Role value) {
    return new DoctorSettings(value, threads, limits, oldMessage, longTransaction);
  }

  /** The same for workers of so many threads. */
  public DoctorSettings withThreads(int value) {
    return new DoctorSettings(role, value, limits, oldMessage, longTransaction);
  }

  /** The same for messages of another size. */
  public DoctorSettings withLimits(MessageLimits value) {
    return new DoctorSettings(role, threads, value, oldMessage, longTransaction);
  }

  /** The same with another time that messages may wait. */
  public DoctorSettings withOldMessage(Duration value) {
    return new DoctorSettings(role, threads, limits, value, longTransaction);
  }

  /** The same with another time that transactions may be open. */
  public DoctorSettings withLongTransaction(Duration value) {
    return new DoctorSettings(role, threads, limits, oldMessage, value);
  }
}
