package io.rowqueue.testkit;

import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message in the queue, or one that a handler without a database would have enqueued. Immutable.
 *
 * @param id its id; counted from 1 without a database
 * @param topic its topic
 * @param state its state
 * @param when its due time
 * @param priority lower is sooner
 * @param orderingKey null if it has none
 * @param headers all headers, including RowQueue's
 * @param payload as stored; never changed
 * @param attempts the number of failed attempts
 * @param lastError the last failure; empty if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record QueuedMessage(
    long id,
    String topic,
    State state,
    When when,
    int priority,
    @Nullable String orderingKey,
    Map<String, String> headers,
    byte[] payload,
    int attempts,
    String lastError) {

  /** The state of a message. */
  public enum State {
    /** Can be claimed now. */
    AVAILABLE,
    /** Is claimed by a worker. */
    IN_FLIGHT,
    /** Is due later. */
    SCHEDULED,
    /** Waits for others of its ordering key. */
    BLOCKED
  }

  /**
   * A message's due time.
   *
   * @param delay counted from its last write, by which it was enqueued or retried; zero if it is
   *     due at once, null if unknown
   * @param dueAt the instant; null if only the delay is known
   */
  public record When(@Nullable Duration delay, @Nullable Instant dueAt) {

    /** At once. */
    public static final When NOW = new When(Duration.ZERO, null);
  }

  /**
   * Decodes the payload as a {@code type}.
   *
   * @throws io.rowqueue.PayloadException if it cannot be decoded
   */
  public <T> T payloadAs(Class<T> type) {
    return Payloads.decode(payload, type);
  }

  /** Formats the payload as shortened text. */
  public String payloadText() {
    return Payloads.text(payload, headers);
  }

  /** Formats it as one line. */
  @Override
  public String toString() {
    StringBuilder line = new StringBuilder("message %d of '%s', %s".formatted(id, topic, where()));
    if (priority != 0) {
      line.append(", priority ").append(priority);
    }
    if (orderingKey != null) {
      line.append(", ordering key '").append(orderingKey).append('\'');
    }
    Map<String, String> own = new LinkedHashMap<>(headers);
    own.keySet().removeIf(Headers::isReserved);
    if (!own.isEmpty()) {
      line.append(", headers ").append(own);
    }
    if (attempts > 0) {
      line.append(", failed %d times, last of %s".formatted(attempts, lastError));
    }
    return line.append(": ").append(payloadText()).toString();
  }

  private String where() {
    return switch (state) {
      case AVAILABLE -> "available";
      case IN_FLIGHT -> "in flight";
      case BLOCKED -> "blocked";
      case SCHEDULED ->
          when.delay() == null
              ? "scheduled at " + when.dueAt()
              : "scheduled in " + Humanize.duration(when.delay());
    };
  }
}
