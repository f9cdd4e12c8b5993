package io.rowqueue.internal.handle;

import java.time.Duration;

/**
 * How many messages a handler thread processes together.
 *
 * @param kind what they share
 * @param most the maximum number, at least 1
 * @param longest how long a group accepts more messages
 */
public record Grouping(Kind kind, int most, Duration longest) {

  /** What the messages of a group share. */
  public enum Kind {
    /** Nothing: each is handled and settled by itself. */
    ALONE,
    /** The COMMIT, while that is faster and {@link CommitPolicy} finds it safe; else nothing. */
    ADAPTIVE,
    /** The COMMIT: they are handled one after another. */
    SHARED_COMMIT,
    /** The handler's call, and so the transaction. */
    BATCH
  }

  public static final int DEFAULT_BATCH_SIZE = 100;

  /**
   * Measured on MariaDB with 16 threads and one INSERT a handler, in thousands per second: 12.0 and
   * 12.7 with 32 and 5 ms, 11.4 and 12.4 with 32 and 20 ms, 14.2 and 12.8 with these, 13.6 and 14.0
   * with 100 and 50 ms; 8.4 to 9.4 with one COMMIT each in plain JDBC. The time bounds how long the
   * first message of a group waits for its COMMIT, and how long its locks block others.
   */
  public static final Grouping SHARED_COMMIT =
      new Grouping(Kind.SHARED_COMMIT, 100, Duration.ofMillis(20));

  public static final Grouping ALONE = new Grouping(Kind.ALONE, 1, Duration.ZERO);

  /** The limits of a group follow from its {@link CommitPolicy}; a caller may give one message. */
  public static final Grouping ADAPTIVE = new Grouping(Kind.ADAPTIVE, 1, Duration.ZERO);

  public static Grouping batch(int most) {
    return new Grouping(Kind.BATCH, most, Duration.ZERO);
  }
}
