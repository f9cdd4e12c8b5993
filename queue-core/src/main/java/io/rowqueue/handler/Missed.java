package io.rowqueue.handler;

import io.rowqueue.operate.InvalidScheduleException;
import java.util.Locale;

/** What happens to the firings for which no worker was there. */
public enum Missed {
  /** They are left out; what is no later than the schedule's grace does not count as missed. */
  SKIP(0),
  /** The latest of them is enqueued, whatever their number. */
  ONCE(1),
  /** Each of them is enqueued, oldest first, a hundred in a transaction. */
  ALL(2);

  private final byte code;

  Missed(int code) {
    this.code = (byte) code;
  }

  /** The name as the command line takes it, such as {@code once}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The number that stands for it in the table. */
  byte code() {
    return code;
  }

  /**
   * What the table's {@code code} stands for.
   *
   * @throws InvalidScheduleException if it is none of the three
   */
  static Missed of(byte code) {
    for (Missed missed : values()) {
      if (missed.code == code) {
        return missed;
      }
    }
    throw new InvalidScheduleException("missed is 0 (skip), 1 (once) or 2 (all), not " + code);
  }
}
