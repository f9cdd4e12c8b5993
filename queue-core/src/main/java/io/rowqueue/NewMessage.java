package io.rowqueue;

import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.message.StoredText;
import io.rowqueue.internal.message.Versions;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message to enqueue: topic, payload and optionally a due time, a priority and headers. Immutable
 * and thread-safe; each {@code with} method returns a copy.
 *
 * <pre>{@code
 * NewMessage.of("email.send", new SendEmail("ada@example.org", "Hello")).withDelay(Duration.ofMinutes(5))
 * }</pre>
 */
public final class NewMessage {

  private static final int LONGEST_ORDERING_KEY = 255;
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  private final Topic topic;
  private final Content payload;
  private final int priority;
  private final @Nullable Instant dueAt;
  private final Duration delay;
  private final Map<String, String> headers;
  private final @Nullable Deduplication deduplication;
  private final @Nullable String orderingKey;
  private final @Nullable Long batchId;

  private NewMessage(
      Topic topic,
      Content payload,
      int priority,
      @Nullable Instant dueAt,
      Duration delay,
      Map<String, String> headers,
      @Nullable Deduplication deduplication,
      @Nullable String orderingKey,
      @Nullable Long batchId) {
    this.topic = topic;
    this.payload = payload;
    this.priority = priority;
    this.dueAt = dueAt;
    this.delay = delay;
    this.headers = headers;
    this.deduplication = deduplication;
    this.orderingKey = orderingKey;
    this.batchId = batchId;
  }

  /**
   * A message that is available as soon as its transaction commits, with priority 0 and no headers.
   *
   * @param payload encoded by the producer's codec; a {@code byte[]} is stored unchanged and must
   *     not be modified afterwards
   * @throws InvalidMessageException if {@code topic} cannot be stored
   */
  public static NewMessage of(String topic, Object payload) {
    return of(new Topic(topic), payload);
  }

  /** Like the other {@code of}, for a topic that is already validated. */
  public static NewMessage of(Topic topic, Object payload) {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(payload, "payload");
    return of(topic, new Content(payload, null));
  }

  /**
   * For a payload whose class lacks information of its declared type: a list, map or generic class
   * whose elements are distinguished by annotations of their common type.
   *
   * <pre>{@code
   * NewMessage.of("draw", shapes, new TypeLiteral<List<Shape>>() {}.getType())
   * }</pre>
   *
   * @param type the payload type of the handler
   * @throws InvalidMessageException if {@code topic} cannot be stored
   */
  public static NewMessage of(String topic, Object payload, Type type) {
    Objects.requireNonNull(payload, "payload");
    Objects.requireNonNull(type, "type");
    return of(new Topic(topic), new Content(payload, type));
  }

  private static NewMessage of(Topic topic, Content payload) {
    return new NewMessage(topic, payload, 0, null, Duration.ZERO, Map.of(), null, null, null);
  }

  /** A payload, and the type to encode it as; null for its class. */
  private record Content(Object value, @Nullable Type type) {}

  /**
   * A message whose payload is read from {@code source}, of any length up to {@link
   * MessageLimits#streamedBytes}. It is neither encoded nor wrapped; it is stored separately from
   * its row, and a handler of {@link java.io.InputStream} reads it as a stream.
   *
   * <pre>{@code
   * NewMessage.streamed("video.cut", () -> Files.newInputStream(path))
   * }</pre>
   *
   * @throws InvalidMessageException if {@code topic} cannot be stored
   */
  public static NewMessage streamed(String topic, BodySource source) {
    return of(topic, source);
  }

  /** Like the other {@code streamed}, for a topic that is already validated. */
  public static NewMessage streamed(Topic topic, BodySource source) {
    return of(topic, source);
  }

  /**
   * Sets the due time: the message is not claimed before, by the database's clock. An instant in
   * the past means now. Replaces a delay.
   *
   * @throws InvalidMessageException if {@code instant} is after the year 9999
   */
  public NewMessage withDueAt(Instant instant) {
    if (instant.isAfter(LATEST)) {
      throw new InvalidMessageException(
          "the due time %s of a message to '%s' must not be after %s"
              .formatted(instant, topic, LATEST));
    }
    return due(instant.isBefore(Instant.EPOCH) ? Instant.EPOCH : instant, Duration.ZERO);
  }

  /**
   * Sets a delay: the message is due {@code length} after the insert, by the database's clock.
   * Replaces a due time.
   *
   * @throws InvalidMessageException if {@code length} is negative or above 100 years
   */
  public NewMessage withDelay(Duration length) {
    if (length.isNegative() || length.compareTo(Duration.ofDays(36_525)) > 0) {
      throw new InvalidMessageException(
          "delay %s of a message to '%s' must be between zero and 100 years"
              .formatted(length, topic));
    }
    return due(null, length);
  }

  private NewMessage due(@Nullable Instant at, Duration after) {
    return new NewMessage(
        topic, payload, priority, at, after, headers, deduplication, orderingKey, batchId);
  }

  /**
   * Sets the priority: messages of a topic with a lower number are claimed first.
   *
   * @param value −128 to 127; 0 by default
   * @throws InvalidMessageException if {@code value} is outside that range
   */
  public NewMessage withPriority(int value) {
    if (value < Byte.MIN_VALUE || value > Byte.MAX_VALUE) {
      throw new InvalidMessageException(
          "priority %d of a message to '%s' must be between -128 and 127".formatted(value, topic));
    }
    return new NewMessage(
        topic, payload, value, dueAt, delay, headers, deduplication, orderingKey, batchId);
  }

  /**
   * Adds a header, or replaces the one of that name.
   *
   * @throws InvalidMessageException if {@code name} begins with {@link Headers#RESERVED}
   */
  public NewMessage withHeader(String name, String value) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(value, "value");
    if (Headers.isReserved(name)) {
      throw new InvalidMessageException(
          "header '%s' of a message to '%s': names that begin with %s are reserved for RowQueue; choose another"
              .formatted(name, topic, Headers.RESERVED));
    }
    return withEntry(name, value);
  }

  /**
   * Adds these headers, or replaces those of the same names. Skips names that begin with {@link
   * Headers#RESERVED}, because they describe another payload. For handlers that forward messages.
   */
  public NewMessage withHeaders(Map<String, String> others) {
    NewMessage message = this;
    for (Map.Entry<String, String> header : others.entrySet()) {
      if (!Headers.isReserved(header.getKey())) {
        message = message.withHeader(header.getKey(), header.getValue());
      }
    }
    return message;
  }

  /**
   * Sets the version of the payload, for types without {@link PayloadVersion}, such as raw bytes.
   *
   * @throws InvalidMessageException if {@code version} is not from 1 to 9,999
   */
  public NewMessage withPayloadVersion(int version) {
    if (version < Versions.FIRST || version > Versions.LAST) {
      throw new InvalidMessageException(
          "payload version %d of a message to '%s' must be between 1 and 9,999"
              .formatted(version, topic));
    }
    return withEntry(Headers.VERSION, Integer.toString(version));
  }

  /**
   * Adds or replaces a header as stored in a row, including reserved ones. For RowQueue's own
   * packages, whose payloads are already encoded and wrapped; to forward messages use {@link
   * #withHeaders}.
   */
  public NewMessage withStoredHeader(String name, String value) {
    return withEntry(name, value);
  }

  private NewMessage withEntry(String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(name, value);
    return containing(payload, Collections.unmodifiableMap(all));
  }

  private NewMessage containing(Content content, Map<String, String> all) {
    return new NewMessage(
        topic, content, priority, dueAt, delay, all, deduplication, orderingKey, batchId);
  }

  /**
   * Enqueues the message only once per deduplication key, according to {@code rule}. Replaces
   * another rule.
   *
   * <p>Its producer's account needs {@code grants producer}.
   */
  public NewMessage withDeduplication(Deduplication rule) {
    Objects.requireNonNull(rule, "rule");
    return new NewMessage(
        topic, payload, priority, dueAt, delay, headers, rule, orderingKey, batchId);
  }

  /**
   * Sets the ordering key. The message is handled after every message of its topic with the same
   * key whose producer committed earlier, one at a time; within a call, in the call's order. A
   * message with a later due time is ordered by its id once it is due. Producers of one key wait
   * for each other's COMMIT, so enqueue such messages late in a transaction.
   *
   * <p>Its producer's account needs {@code grants producer}.
   *
   * @param key 1 to 255 characters; compared by its bytes
   * @throws InvalidMessageException if {@code key} cannot be stored
   */
  public NewMessage withOrderingKey(String key) {
    Objects.requireNonNull(key, "key");
    String checked =
        StoredText.checked(
            "the ordering key of a message to '%s'".formatted(topic), key, LONGEST_ORDERING_KEY);
    return new NewMessage(
        topic, payload, priority, dueAt, delay, headers, deduplication, checked, batchId);
  }

  /**
   * Makes it a member of {@code stored}, a value of the batch_id column. For RowQueue's own
   * packages; the batch shard or the chain must be updated in the same transaction.
   */
  public NewMessage withStoredBatch(long stored) {
    return new NewMessage(
        topic, payload, priority, dueAt, delay, headers, deduplication, orderingKey, stored);
  }

  /**
   * A copy with payload and headers as stored in a row. For RowQueue's own packages, which keep
   * messages that are enqueued later.
   */
  public NewMessage withStoredBody(byte[] body, Map<String, String> all) {
    return containing(new Content(body, null), Map.copyOf(all));
  }

  /**
   * Sets a key whose concurrency and rate the topic limits ({@code topics limit --key-in-flight},
   * {@code --key-rate-limit}); messages of one key start in the order in which their producers
   * committed. A message has one key: this is {@link #withOrderingKey} under the name used for
   * topics with such a limit. Without a limit, the messages of a key are handled one after the
   * other.
   *
   * @param key for example a tenant; 1 to 255 characters; compared by its bytes
   * @throws InvalidMessageException if {@code key} cannot be stored
   */
  public NewMessage withLimitKey(String key) {
    return withOrderingKey(key);
  }

  /** A copy for another topic. */
  public NewMessage withTopic(Topic other) {
    Objects.requireNonNull(other, "other");
    return new NewMessage(
        other, payload, priority, dueAt, delay, headers, deduplication, orderingKey, batchId);
  }

  /**
   * Checks that a settlement may enqueue this message: it must not lock any keys.
   *
   * @throws InvalidMessageException if it has an ordering key or a deduplication key
   */
  public NewMessage checkedToFollow() {
    if (orderingKey != null || deduplication != null) {
      throw new InvalidMessageException(
          "a message to '%s' that is enqueued when another ends cannot have an ordering key or a deduplication key; enqueue it in the handler's transaction instead"
              .formatted(topic));
    }
    return this;
  }

  /** The topic. */
  public Topic topic() {
    return topic;
  }

  /** The object that the producer's codec encodes; a {@link BodySource} if it is streamed. */
  public Object payload() {
    return payload.value;
  }

  /** The type that the codec encodes the payload as; null for its class. */
  public @Nullable Type payloadType() {
    return payload.type;
  }

  /** −128 to 127; lower is claimed first. */
  public int priority() {
    return priority;
  }

  /** The due time, or null if {@link #delay()} applies. */
  public @Nullable Instant dueAt() {
    return dueAt;
  }

  /** The delay after the insert; zero unless set. */
  public Duration delay() {
    return delay;
  }

  /** Names and values in the order in which they were added; unmodifiable. */
  public Map<String, String> headers() {
    return headers;
  }

  /** The deduplication rule; null if it has none. */
  public @Nullable Deduplication deduplication() {
    return deduplication;
  }

  /** The ordering key; null if it has none. */
  public @Nullable String orderingKey() {
    return orderingKey;
  }

  /**
   * The batch shard that it is a member of, or the negated id of its chain; null if it has neither.
   */
  public @Nullable Long batchId() {
    return batchId;
  }

  /** Topic and due time only: payloads and headers may hold secrets. */
  @Override
  public String toString() {
    return "NewMessage[topic=%s, priority=%d, dueAt=%s, delay=%s]"
        .formatted(topic, priority, dueAt, delay);
  }
}
