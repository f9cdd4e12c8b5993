package io.rowqueue;

/**
 * The name that routes a message to the one handler bound to it. Workers compete for the messages
 * of a topic, so that each message is handled by one of them. A message for several topics is
 * published under a source, whose name has the form of a topic's.
 *
 * @param name 1 to 64 printable ASCII characters, without a space at either end; case-sensitive
 */
public record Topic(String name) implements Comparable<Topic> {

  /** The column's width, in characters. */
  public static final int MAX_LENGTH = 64;

  /** Rejects names that the database could not store, or would confuse with another topic. */
  public Topic {
    if (name.isEmpty()) {
      throw new InvalidMessageException("a topic's name must not be empty");
    }
    if (name.length() > MAX_LENGTH) {
      throw new InvalidMessageException(
          "topic '%s…' has %d characters; shorten it to at most %d"
              .formatted(name.substring(0, MAX_LENGTH), name.length(), MAX_LENGTH));
    }
    if (!name.chars().allMatch(character -> character >= ' ' && character <= '~')) {
      throw new InvalidMessageException(
          "topic '%s' has a character outside printable ASCII; use letters, digits and . - _"
              .formatted(name));
    }
    if (name.startsWith(" ") || name.endsWith(" ")) {
      throw new InvalidMessageException(
          "topic '%s' begins or ends with a space; the database would confuse it with another topic"
              .formatted(name));
    }
  }

  @Override
  public int compareTo(Topic other) {
    return name.compareTo(other.name);
  }

  /** The plain name. */
  @Override
  public String toString() {
    return name;
  }
}
