package io.rowqueue;

/**
 * Identifies a message during its whole life, including as a dead letter and after a redrive. Ids
 * grow in the order in which producers insert, which is not always the order in which they commit.
 *
 * @param value the id that the database assigned, at least 1
 */
public record MessageId(long value) implements Comparable<MessageId> {

  /** Checks that {@code value} is in the range of the database's ids. */
  public MessageId {
    if (value < 1) {
      throw new IllegalArgumentException("a message id is at least 1, not " + value);
    }
  }

  @Override
  public int compareTo(MessageId other) {
    return Long.compare(value, other.value);
  }

  /** The plain number, as in logs and on the command line. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
