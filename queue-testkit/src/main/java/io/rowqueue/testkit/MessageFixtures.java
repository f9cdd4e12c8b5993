package io.rowqueue.testkit;

import io.rowqueue.NewMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Messages to enqueue in tests. Every part has a value that is valid, so that a test names only
 * what it is about:
 *
 * <pre>{@code
 * producer.enqueue(aMessage().onTopic("email.send").withDelay(Duration.ofMinutes(5)).build());
 * }</pre>
 */
public final class MessageFixtures {

  /** The topic of messages that name none. */
  public static final String TOPIC = "test.topic";

  /** The payload of messages that name none. */
  public static final String PAYLOAD = "payload";

  private MessageFixtures() {}

  /** A message to {@link #TOPIC} with {@link #PAYLOAD}, due at once, priority 0, no headers. */
  public static MessageBuilder aMessage() {
    return new MessageBuilder(NewMessage.of(TOPIC, PAYLOAD));
  }

  /**
   * {@code count} messages to {@code topic}.
   *
   * @param payload gives the payload of each, from its place, 0 for the first
   */
  public static List<NewMessage> messages(
      String topic, int count, IntFunction<? extends Object> payload) {
    return IntStream.range(0, count)
        .mapToObj(place -> NewMessage.of(topic, payload.apply(place)))
        .toList();
  }

  /** A message in the making. Immutable and thread-safe: each method returns another one. */
  public static final class MessageBuilder {

    private final NewMessage message;

    private MessageBuilder(NewMessage message) {
      this.message = message;
    }

    /**
     * Goes to {@code topic}.
     *
     * @throws io.rowqueue.InvalidMessageException if it cannot be stored
     */
    public MessageBuilder onTopic(String topic) {
      return new MessageBuilder(copy(NewMessage.of(topic, message.payload())));
    }

    /** Carries {@code payload}, which the producer's codec encodes. */
    public MessageBuilder withPayload(Object payload) {
      return new MessageBuilder(copy(NewMessage.of(message.topic(), payload)));
    }

    /**
     * Has another priority.
     *
     * @param value −128 to 127; lower is sooner
     */
    public MessageBuilder withPriority(int value) {
      return new MessageBuilder(message.withPriority(value));
    }

    /** Is due {@code length} after its insert, by the database's clock. */
    public MessageBuilder withDelay(Duration length) {
      return new MessageBuilder(message.withDelay(length));
    }

    /** Is due at {@code instant}, by the database's clock. */
    public MessageBuilder withDueAt(Instant instant) {
      return new MessageBuilder(message.withDueAt(instant));
    }

    /** Has this header, too. */
    public MessageBuilder withHeader(String name, String value) {
      return new MessageBuilder(message.withHeader(name, value));
    }

    /** The message. */
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
