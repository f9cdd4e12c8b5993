package io.rowqueue.testkit;

import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that is in the queue, or that a handler without a database would have enqueued.
 * Immutable.
 *
 * @param id its id; counted from 1 where there is no database
 * @param topic where it was enqueued
 * @param state where it stands
 * @param when when it is due
 * @param priority lower is sooner
 * @param orderingKey what it stays in line with; null if it has none
 * @param headers its own and RowQueue's
 * @param payload as it was stored; never changed
 * @param attempts failed handlings so far
 * @param lastError what the last of them failed of; empty if none did
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

  /** Where a message stands. */
  public enum State {
    /** May be claimed now. */
    AVAILABLE,
    /** A worker holds it. */
    IN_FLIGHT,
    /** Waits for its time. */
    SCHEDULED,
    /** Waits for others of its ordering key. */
    BLOCKED
  }

  /**
   * When a message is due.
   *
   * @param delay how long after its last write, by which it was enqueued or retried; zero for one
   *     that does not wait, null where nobody can tell
   * @param dueAt the instant; null where only the delay is known
   */
  public record When(@Nullable Duration delay, @Nullable Instant dueAt) {

    /** At once. */
    public static final When NOW = new When(Duration.ZERO, null);
  }

  /**
   * The payload as a {@code type}.
   *
   * @throws io.rowqueue.PayloadException if it is none
   */
  public <T> T payloadAs(Class<T> type) {
    return Payloads.decode(payload, type);
  }

  /** The payload as text, shortened, for people. */
  public String payloadText() {
    return Payloads.text(payload, headers);
  }

  /** One line for people. */
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
