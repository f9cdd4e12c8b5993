package io.rowqueue.testkit;

import io.rowqueue.NewMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Messages for tests. All properties have valid defaults, so that a test only sets the relevant
 * ones:
 *
 * <pre>{@code
 * producer.enqueue(aMessage().onTopic("email.send").withDelay(Duration.ofMinutes(5)).build());
 * }</pre>
 */
public final class MessageFixtures {

  /** The default topic. */
  public static final String TOPIC = "test.topic";

  /** The default payload. */
  public static final String PAYLOAD = "payload";

  private MessageFixtures() {}

  /** A message to {@link #TOPIC} with {@link #PAYLOAD}, due at once, priority 0, no headers. */
  public static MessageBuilder aMessage() {
    return new MessageBuilder(NewMessage.of(TOPIC, PAYLOAD));
  }

  /**
   * Creates {@code count} messages to {@code topic}.
   *
   * @param payload returns the payload for each index, starting at 0
   */
  public static List<NewMessage> messages(
      String topic, int count, IntFunction<? extends Object> payload) {
    return IntStream.range(0, count)
        .mapToObj(place -> NewMessage.of(topic, payload.apply(place)))
        .toList();
  }

  /** A message builder. Immutable and thread-safe: each method returns a copy. */
  public static final class MessageBuilder {

    private final NewMessage message;

    private MessageBuilder(NewMessage message) {
      this.message = message;
    }

    /**
     * Sets the topic.
     *
     * @throws io.rowqueue.InvalidMessageException if it cannot be stored
     */
    public MessageBuilder onTopic(String topic) {
      return new MessageBuilder(copy(NewMessage.of(topic, message.payload())));
    }

    /** Sets the payload, which the producer's codec encodes. */
    public MessageBuilder withPayload(Object payload) {
      return new MessageBuilder(copy(NewMessage.of(message.topic(), payload)));
    }

    /**
     * Sets the priority.
     *
     * @param value −128 to 127; lower is sooner
     */
    public MessageBuilder withPriority(int value) {
      return new MessageBuilder(message.withPriority(value));
    }

    /** Makes it due {@code length} after its insert, by the database's clock. */
    public MessageBuilder withDelay(Duration length) {
      return new MessageBuilder(message.withDelay(length));
    }

    /** Makes it due at {@code instant}, by the database's clock. */
    public MessageBuilder withDueAt(Instant instant) {
      return new MessageBuilder(message.withDueAt(instant));
    }

    /** Adds a header. */
    public MessageBuilder withHeader(String name, String value) {
      return new MessageBuilder(message.withHeader(name, value));
    }

    /** Builds the message. */
    public NewMessage build() {
      return message;
    }

    private NewMessage copy(NewMessage to) {
      Instant dueAt = message.dueAt();
      NewMessage copy = to.withPriority(message.priority());
      copy = dueAt == null ? copy.withDelay(message.delay()) : copy.withDueAt(dueAt);
      return copy.withHeaders(message.headers());
    }
  }
}
