package io.rowqueue.operate;

import java.util.Locale;

/** Where a message is. */
public enum MessageLocation {
  /** Waits for any worker. */
  AVAILABLE,
  /** Waits until it is due. */
  SCHEDULED,
  /** Waits in line behind another message with its ordering key. */
  BLOCKED,
  /** A worker has claimed it. */
  IN_FLIGHT,
  /** It was set aside, with a reason. */
  DEAD_LETTER,
  /** It was acknowledged, and a copy is kept. */
  ARCHIVED,
  /** No table has it: acknowledged without a copy, cancelled, deleted, or it never existed. */
  UNKNOWN;

  /** The name for people and programs, such as {@code in-flight}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
