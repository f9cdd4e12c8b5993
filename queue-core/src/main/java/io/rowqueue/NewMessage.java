package io.rowqueue;

import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.message.StoredText;
import io.rowqueue.internal.message.Versions;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way into the queue: topic, payload and, if wanted, a due time, a priority and
 * headers. Immutable and thread-safe; each {@code with} method returns a copy.
 *
 * <pre>{@code
 * NewMessage.of("email.send", new SendEmail("ada@example.org", "Hello")).withDelay(Duration.ofMinutes(5))
 * }</pre>
 */
public final class NewMessage {

  private static final int LONGEST_ORDERING_KEY = 255;

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
   * @param payload what the producer's codec encodes; a {@code byte[]} is stored as it is and must
   *     not be changed afterwards
   * @throws InvalidMessageException if {@code topic} cannot be stored
   */
  public static NewMessage of(String topic, Object payload) {
    return of(new Topic(topic), payload);
  }

  /** The same, for a topic that was checked before. */
  public static NewMessage of(Topic topic, Object payload) {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(payload, "payload");
    return of(topic, new Content(payload, null));
  }

  /**
   * The same, for a payload whose class tells less than its declared type: a list, map or generic
   * class whose elements are told apart by annotations of their common type.
   *
   * <pre>{@code
   * NewMessage.of("draw", shapes, new TypeLiteral<List<Shape>>() {}.getType())
   * }</pre>
   *
   * @param type what the handler is bound for
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
   * A message whose payload is what {@code source} gives, of any length up to {@link
   * MessageLimits#streamedBytes}. No codec encodes it and no wrapper is put round it; it lies
   * beside its row, and a handler of {@link java.io.InputStream} reads it in the same way.
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

  /** The same, for a topic that was checked before. */
  public static NewMessage streamed(Topic topic, BodySource source) {
    return of(topic, source);
  }

  /**
   * Due at {@code instant}: not claimed before the database's clock shows it. An instant that has
   * passed means now. Replaces a delay.
   */
  public NewMessage withDueAt(Instant instant) {
    Objects.requireNonNull(instant, "instant");
    return new NewMessage(
        topic,
        payload,
        priority,
        instant,
        Duration.ZERO,
        headers,
        deduplication,
        orderingKey,
        batchId);
  }

  /**
   * Due {@code length} after the insert, by the database's clock. Replaces a due time.
   *
   * @throws InvalidMessageException if {@code length} is negative or above 100 years
   */
  public NewMessage withDelay(Duration length) {
    if (length.isNegative() || length.compareTo(Duration.ofDays(36_525)) > 0) {
      throw new InvalidMessageException(
          "delay %s of a message to '%s' must lie between zero and 100 years"
              .formatted(length, topic));
    }
    return new NewMessage(
        topic, payload, priority, null, length, headers, deduplication, orderingKey, batchId);
  }

  /**
   * Claimed before messages of the same topic with a greater number.
   *
   * @param value −128 to 127; lower is sooner, 0 by default
   * @throws InvalidMessageException if {@code value} is outside that range
   */
  public NewMessage withPriority(int value) {
    if (value < Byte.MIN_VALUE || value > Byte.MAX_VALUE) {
      throw new InvalidMessageException(
          "priority %d of a message to '%s' must lie between -128 and 127".formatted(value, topic));
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
          "header '%s' of a message to '%s': names that begin with %s are RowQueue's own; choose another"
              .formatted(name, topic, Headers.RESERVED));
    }
    return withEntry(name, value);
  }

  /**
   * Adds these headers, or replaces those of their names, but leaves out what begins with {@link
   * Headers#RESERVED}: it says something of another payload. For who forwards what it handles.
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
   * Says which version of its payload it has, for payloads whose type has no {@link
   * PayloadVersion}, such as raw bytes.
   *
   * @throws InvalidMessageException if {@code version} is not from 1 to 9,999
   */
  public NewMessage withPayloadVersion(int version) {
    if (version < Versions.FIRST || version > Versions.LAST) {
      throw new InvalidMessageException(
          "payload version %d of a message to '%s' must lie between 1 and 9,999"
              .formatted(version, topic));
    }
    return withEntry(Headers.VERSION, Integer.toString(version));
  }

  /**
   * Adds a header as a row holds it, a reserved one too, or replaces the one of that name. For
   * RowQueue's own rooms, whose payloads are encoded and wrapped already; whoever forwards messages
   * takes {@link #withHeaders}.
   */
  public NewMessage withStoredHeader(String name, String value) {
    return withEntry(name, value);
  }

  private NewMessage withEntry(String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(name, value);
    return new NewMessage(
        topic,
        payload,
        priority,
        dueAt,
        delay,
        java.util.Collections.unmodifiableMap(all),
        deduplication,
        orderingKey,
        batchId);
  }

  /**
   * Enqueued once under a key of its topic, as {@code rule} says. Replaces another rule.
   *
   * <p>Its producer's account needs {@code grants producer}.
   */
  public NewMessage withDeduplication(Deduplication rule) {
    Objects.requireNonNull(rule, "rule");
    return new NewMessage(
        topic, payload, priority, dueAt, delay, headers, rule, orderingKey, batchId);
  }

  /**
   * Handled behind every message of its topic with the same key whose producer committed before its
   * own did, one at a time; within a call, in the call's order. One that is due later takes its
   * place when it is due, by its id. Producers of one key wait for each other's COMMIT: enqueue
   * such messages late in a transaction.
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
   * A member of what {@code stored} names, as a row holds it. For RowQueue's own rooms; the leaf or
   * the chain must be told in the same transaction.
   */
  public NewMessage withStoredBatch(long stored) {
    return new NewMessage(
        topic, payload, priority, dueAt, delay, headers, deduplication, orderingKey, stored);
  }

  /**
   * The same with payload and headers as a row holds them. For RowQueue's own rooms, which keep
   * messages that are enqueued later.
   */
  public NewMessage withStoredBody(byte[] body, Map<String, String> all) {
    return new NewMessage(
        topic,
        new Content(body, null),
        priority,
        dueAt,
        delay,
        Map.copyOf(all),
        deduplication,
        orderingKey,
        batchId);
  }

  /**
   * Handled beside at most so many others of its topic with the same key as the topic allows
   * ({@code topics limit --key-in-flight}, {@code --key-per-second}), and begun behind those whose
   * producers committed before. A message has one key: this is {@link #withOrderingKey} under the
   * name that it has where the topic has room for several, and as long as it has none, the messages
   * of a key are handled one after the other.
   *
   * @param key such as a tenant; 1 to 255 characters; compared by its bytes
   * @throws InvalidMessageException if {@code key} cannot be stored
   */
  public NewMessage withLimitKey(String key) {
    return withOrderingKey(key);
  }

  /** The same for another topic. */
  public NewMessage withTopic(Topic other) {
    Objects.requireNonNull(other, "other");
    return new NewMessage(
        other, payload, priority, dueAt, delay, headers, deduplication, orderingKey, batchId);
  }

  /**
   * This, to be enqueued by a settlement, which locks nobody's keys.
   *
   * @throws InvalidMessageException if it has an ordering key or a deduplication key
   */
  public NewMessage checkedToFollow() {
    if (orderingKey != null || deduplication != null) {
      throw new InvalidMessageException(
          "a message to '%s' that is enqueued by the end of another has neither an ordering key nor a deduplication key; enqueue it in the handler's transaction instead"
              .formatted(topic));
    }
    return this;
  }

  /** Where the message goes. */
  public Topic topic() {
    return topic;
  }

  /** What the producer's codec encodes; a {@link BodySource} if it is streamed. */
  public Object payload() {
    return payload.value;
  }

  /** The type that the codec encodes the payload as; null for its class. */
  public @Nullable Type payloadType() {
    return payload.type;
  }

  /** −128 to 127; lower is sooner. */
  public int priority() {
    return priority;
  }

  /** The instant it is due, or null if {@link #delay()} says when. */
  public @Nullable Instant dueAt() {
    return dueAt;
  }

  /** How long after its insert it is due; zero unless set. */
  public Duration delay() {
    return delay;
  }

  /** Names and values in the order in which they were added; unmodifiable. */
  public Map<String, String> headers() {
    return headers;
  }

  /** Under which key it is enqueued once; null if it has none. */
  public @Nullable Deduplication deduplication() {
    return deduplication;
  }

  /** What it stays in line with; null if it has none. */
  public @Nullable String orderingKey() {
    return orderingKey;
  }

  /** The leaf that it is a member of, or below zero the chain; null if it has none. */
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
