package io.rowqueue.operate;

import java.util.Locale;

/** The location of a message. */
public enum MessageLocation {
  /** Can be claimed by any worker. */
  AVAILABLE,
  /** Waits until it is due. */
  SCHEDULED,
  /** Waits behind another message with its ordering key. */
  BLOCKED,
  /** A worker has claimed it. */
  IN_FLIGHT,
  /** It is in the dead-letter queue. */
  DEAD_LETTER,
  /** It was acknowledged, and a copy is kept. */
  ARCHIVED,
  /** It is in no table: acknowledged without a copy, cancelled, deleted, or it never existed. */
  UNKNOWN;

  /** The name for people and programs, such as {@code in-flight}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
