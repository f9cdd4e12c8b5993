package io.rowqueue;

/**
 * Names one message for its whole life, dead letter and redrive included. Ids grow in the order in
 * which producers insert, which is not always the order in which they commit.
 *
 * @param value the id that the database gave, at least 1
 */
public record MessageId(long value) implements Comparable<MessageId> {

  /** Checks that {@code value} is an id the database can have given. */
  public MessageId {
    if (value < 1) {
      throw new IllegalArgumentException("a message id is at least 1, not " + value);
    }
  }

  @Override
  public int compareTo(MessageId other) {
    return Long.compare(value, other.value);
  }

  /** The bare number, as logs and the command line show it. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
