package io.rowqueue;

import io.rowqueue.internal.message.StoredText;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A deduplication rule: the key of its topic under which a message is enqueued once, how long the
 * key is held, and what happens to duplicates until then. There is no default scope, because a
 * wrong one would lose messages. Immutable and thread-safe; each {@code with} method returns a
 * copy.
 *
 * <pre>{@code
 * NewMessage.of("search.index", document)
 *     .withDelay(Duration.ofSeconds(5))
 *     .withDeduplication(Deduplication.whileWaiting("doc-7").replacing())
 * }</pre>
 */
public final class Deduplication {

  private static final int LONGEST_KEY = 255;

  /** How long a key is held. */
  public enum Scope {
    /** Until a worker claims the first message, or it is cancelled. */
    WAITING,
    /** Until the first message has left the queue: acknowledged, cancelled or a dead letter. */
    ALIVE,
    /** For a time from the first message's enqueue on, whatever happens to it. */
    WINDOW
  }

  /** What happens to a message whose key is held. */
  public enum Answer {
    /** It is skipped; the caller gets the first message's id. */
    FIRST,
    /** The whole call is rejected. */
    REFUSE,
    /** The first message takes over its payload, headers, priority and due time. */
    REPLACE,
    /** The first message takes over its payload, headers and priority. */
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
   * The key is held until a worker claims the first message; a later one is enqueued as a new
   * message.
   *
   * @param key 1 to 255 characters; compared byte by byte, within the topic
   * @throws InvalidMessageException if {@code key} is empty or longer
   */
  public static Deduplication whileWaiting(String key) {
    return new Deduplication(checked(key), Scope.WAITING, Answer.FIRST, null);
  }

  /**
   * The key is held until the first message has left the queue. Changes made while it is being
   * handled are skipped, too; use {@link #whileWaiting} if they must not be.
   *
   * @param key 1 to 255 characters; compared byte by byte, within the topic
   * @throws InvalidMessageException if {@code key} is empty or longer
   */
  public static Deduplication whileAlive(String key) {
    return new Deduplication(checked(key), Scope.ALIVE, Answer.FIRST, null);
  }

  /**
   * The key is held for {@code window} from the first message's enqueue on, by the database's
   * clock. Skipped duplicates do not extend it.
   *
   * @param key 1 to 255 characters; compared byte by byte, within the topic
   * @param window a microsecond to 10 years
   * @throws InvalidMessageException if {@code key} or {@code window} is out of its range
   */
  public static Deduplication within(String key, Duration window) {
    if (window.compareTo(Duration.ofNanos(1_000)) < 0
        || window.compareTo(Duration.ofDays(3_653)) > 0) {
      throw new InvalidMessageException(
          "the window %s of deduplication key '%s' must be between a microsecond and 10 years"
              .formatted(Humanize.duration(window), key));
    }
    return new Deduplication(checked(key), Scope.WINDOW, Answer.FIRST, window);
  }

  /**
   * A duplicate is rejected, with its whole call, by a {@code DuplicateMessageException}. By
   * default it is skipped, and the caller gets the first message's id.
   */
  public Deduplication refusing() {
    return new Deduplication(key, scope, Answer.REFUSE, window);
  }

  /**
   * The first message takes over a duplicate's payload, headers, priority and due time, and keeps
   * its id and its failed attempts. With a delay, this is a debounce.
   *
   * @throws InvalidMessageException unless the key is held {@link #whileWaiting}: a message that a
   *     handler may have read cannot be replaced
   */
  public Deduplication replacing() {
    if (scope != Scope.WAITING) {
      throw new InvalidMessageException(
          "deduplication key '%s' can replace waiting messages only; use whileWaiting"
              .formatted(key));
    }
    return new Deduplication(key, scope, Answer.REPLACE, window);
  }

  /**
   * After {@link #replacing}: the first message keeps its due time. With a delay, this is a
   * throttle.
   *
   * @throws InvalidMessageException if nothing is replaced
   */
  public Deduplication keepingDueTime() {
    if (!replaces()) {
      throw new InvalidMessageException(
          "deduplication key '%s' does not replace messages; call replacing() first"
              .formatted(key));
    }
    return new Deduplication(key, scope, Answer.REPLACE_KEEPING_DUE_TIME, window);
  }

  private static String checked(String key) {
    return StoredText.checked("a deduplication key", key, LONGEST_KEY);
  }

  /** The key, which must be unique within the topic. */
  public String key() {
    return key;
  }

  /** How long the key is held. */
  public Scope scope() {
    return scope;
  }

  /** What happens to a duplicate. */
  public Answer answer() {
    return answer;
  }

  /** The window if the scope is {@link Scope#WINDOW}; else null. */
  public @Nullable Duration window() {
    return window;
  }

  /** Whether the first message takes over a duplicate's content. */
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
