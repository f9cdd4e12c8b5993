package io.rowqueue.worker;

import java.time.Duration;

/**
 * So many messages in so much time. Immutable.
 *
 * @param messages at least 1
 * @param per positive
 */
public record Rate(int messages, Duration per) {

  /** Checks both. */
  public Rate {
    if (messages < 1 || per.isNegative() || per.isZero()) {
      throw new IllegalArgumentException(
          "a rate is at least one message in a positive time, not %d in %s"
              .formatted(messages, per));
    }
  }
}
