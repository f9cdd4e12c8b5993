package io.rowqueue.worker;

import java.time.Duration;

/**
 * A number of messages per time. Immutable.
 *
 * @param messages at least 1
 * @param per positive
 */
public record Rate(int messages, Duration per) {

  /** Validates both. */
  public Rate {
    if (messages < 1 || per.isNegative() || per.isZero()) {
      throw new IllegalArgumentException(
          "a rate is at least one message in a positive time, not %d in %s"
              .formatted(messages, per));
    }
  }
}
