package io.rowqueue;

import io.rowqueue.internal.message.StoredText;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Under which key of its topic a message is enqueued once, for how long the key is held, and what
 * becomes of the next one until then. Nobody drops a message by default: the scope is the caller's
 * choice. Immutable and thread-safe; each {@code with} method returns a copy.
 *
 * <pre>{@code
 * NewMessage.of("search.index", document)
 *     .withDelay(Duration.ofSeconds(5))
 *     .withDeduplication(Deduplication.whileWaiting("doc-7").replacing())
 * }</pre>
 */
public final class Deduplication {

  private static final int LONGEST_KEY = 255;

  /** For how long a key is held. */
  public enum Scope {
    /** Until a worker claims the first message, or somebody cancels it. */
    WAITING,
    /** Until the first message has left the queue: acknowledged, cancelled or a dead letter. */
    ALIVE,
    /** For a time from the first one's enqueue on, whatever becomes of it. */
    WINDOW
  }

  /** What becomes of a message whose key is held. */
  public enum Answer {
    /** It is left out; its id is the first's. */
    FIRST,
    /** Its whole call is refused. */
    REFUSE,
    /** The first takes its payload, headers, priority and due time. */
    REPLACE,
    /** The first takes its payload, headers and priority. */
    REPLACE_KEEPING_DUE_TIME
  }

  private final String key;
  private final Scope scope;
  private final Answer answer;
  private final @Nullable Duration window;

  private Deduplication(String key, Scope scope, Answer answer, @Nullable Duration window) {
    this.key = key;
    this.scope = scope;
    this.answer = answer;
    this.window = window;
  }

  /**
   * Held until a worker claims the first message: what comes after that is a message of its own.
   *
   * @param key 1 to 255 characters; compared byte by byte, within the topic
   * @throws InvalidMessageException if {@code key} is empty or longer
   */
  public static Deduplication whileWaiting(String key) {
    return new Deduplication(checked(key), Scope.WAITING, Answer.FIRST, null);
  }

  /**
   * Held until the first message has left the queue. What changes while it is handled is dropped,
   * too; where that must not be, take {@link #whileWaiting}.
   *
   * @param key 1 to 255 characters; compared byte by byte, within the topic
   * @throws InvalidMessageException if {@code key} is empty or longer
   */
  public static Deduplication whileAlive(String key) {
    return new Deduplication(checked(key), Scope.ALIVE, Answer.FIRST, null);
  }

  /**
   * Held for {@code window} from the first message's enqueue on, by the database's clock. What is
   * dropped meanwhile does not prolong it.
   *
   * @param key 1 to 255 characters; compared byte by byte, within the topic
   * @param window a microsecond to 10 years
   * @throws InvalidMessageException if {@code key} or {@code window} is out of its range
   */
  public static Deduplication within(String key, Duration window) {
    if (window.compareTo(Duration.ofNanos(1_000)) < 0
        || window.compareTo(Duration.ofDays(3_653)) > 0) {
      throw new InvalidMessageException(
          "the window %s of deduplication key '%s' must lie between a microsecond and 10 years"
              .formatted(Humanize.duration(window), key));
    }
    return new Deduplication(checked(key), Scope.WINDOW, Answer.FIRST, window);
  }

  /**
   * The next one is refused, with all of its call, by a {@code DuplicateMessageException}. Without
   * this it is left out, and its id is the first's.
   */
  public Deduplication refusing() {
    return new Deduplication(key, scope, Answer.REFUSE, window);
  }

  /**
   * The first message takes the next one's payload, headers, priority and due time, and keeps its
   * id and its failed attempts. With a delay, that is a debounce.
   *
   * @throws InvalidMessageException unless the key is held {@link #whileWaiting}: what a handler
   *     may have read cannot be replaced
   */
  public Deduplication replacing() {
    if (scope != Scope.WAITING) {
      throw new InvalidMessageException(
          "deduplication key '%s' can replace only what waits; say whileWaiting".formatted(key));
    }
    return new Deduplication(key, scope, Answer.REPLACE, window);
  }

  /**
   * After {@link #replacing}: the first keeps its due time. With a delay, that is a throttle.
   *
   * @throws InvalidMessageException if nothing is replaced
   */
  public Deduplication keepingDueTime() {
    if (!replaces()) {
      throw new InvalidMessageException(
          "deduplication key '%s' replaces nothing; say replacing() first".formatted(key));
    }
    return new Deduplication(key, scope, Answer.REPLACE_KEEPING_DUE_TIME, window);
  }

  private static String checked(String key) {
    return StoredText.checked("a deduplication key", key, LONGEST_KEY);
  }

  /** Names what must not be enqueued twice, within the topic. */
  public String key() {
    return key;
  }

  /** For how long the key is held. */
  public Scope scope() {
    return scope;
  }

  /** What becomes of the next one. */
  public Answer answer() {
    return answer;
  }

  /** For how long, if the scope is {@link Scope#WINDOW}; else null. */
  public @Nullable Duration window() {
    return window;
  }

  /** Whether the next one's content goes into the first. */
  public boolean replaces() {
    return answer == Answer.REPLACE || answer == Answer.REPLACE_KEEPING_DUE_TIME;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Deduplication that
        && key.equals(that.key)
        && scope == that.scope
        && answer == that.answer
        && Objects.equals(window, that.window);
  }

  @Override
  public int hashCode() {
    return Objects.hash(key, scope, answer, window);
  }

  @Override
  public String toString() {
    return "Deduplication[key=%s, scope=%s, answer=%s, window=%s]"
        .formatted(key, scope, answer, window);
  }
}
