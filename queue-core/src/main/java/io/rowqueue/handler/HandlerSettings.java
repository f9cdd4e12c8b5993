package io.rowqueue.handler;

import io.rowqueue.Topic;
import io.rowqueue.internal.handle.Grouping;
import io.rowqueue.internal.handle.HandlerKind;
import io.rowqueue.internal.handle.HandlerPolicy;
import io.rowqueue.internal.handle.ResultPolicy;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.spi.PayloadCodec;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one binding that differ from the worker's {@link HandlerDefaults}. Immutable;
 * each {@code with} method returns a copy.
 */
public final class HandlerSettings {

  private static final HandlerSettings DEFAULTS =
      new HandlerSettings(
          null,
          null,
          new Time(null, null, false),
          new Shape(Integer.MAX_VALUE, true, null, null),
          new Coding(PayloadCodec.json(), null, Set.of(), null),
          Set.of());

  static {
    HandlerPolicy.readWith(HandlerSettings::resolve);
  }

  private final @Nullable RetryPolicy retryPolicy;
  private final @Nullable Integer maxAttempts;
  private final Time time;
  private final Shape shape;
  private final Coding coding;
  private final Set<Topic> formerTopics;

  private HandlerSettings(
      @Nullable RetryPolicy retryPolicy,
      @Nullable Integer maxAttempts,
      Time time,
      Shape shape,
      Coding coding,
      Set<Topic> formerTopics) {
    this.retryPolicy = retryPolicy;
    this.maxAttempts = maxAttempts;
    this.time = time;
    this.shape = shape;
    this.coding = coding;
    this.formerTopics = formerTopics;
  }

  /**
   * Transactional, JSON, as many threads as the worker has, and the worker's defaults for the rest.
   */
  public static HandlerSettings defaults() {
    return DEFAULTS;
  }

  /** Sets the delay between attempts. */
  public HandlerSettings withRetryPolicy(RetryPolicy policy) {
    return new HandlerSettings(policy, maxAttempts, time, shape, coding, formerTopics);
  }

  /**
   * Sets the number of failed attempts after which a message is dead-lettered.
   *
   * @throws IllegalArgumentException if {@code attempts} is below 1
   */
  public HandlerSettings withMaxAttempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException("maxAttempts must be at least 1, not " + attempts);
    }
    return new HandlerSettings(retryPolicy, attempts, time, shape, coding, formerTopics);
  }

  /**
   * Sets the timeout after which a handler is interrupted, and then its connection cut.
   *
   * @throws IllegalArgumentException if {@code longest} is not positive
   */
  public HandlerSettings withTimeout(Duration longest) {
    if (longest.isNegative() || longest.isZero()) {
      throw new IllegalArgumentException(
          "timeout must be positive, not " + Humanize.duration(longest));
    }
    return withTime(new Time(longest, time.longest, time.cancelByInterrupt));
  }

  /**
   * Allows a handler to extend its timeout by {@link HandlerContext#extendTimeout}, up to {@code
   * longest} after its start, including the first timeout. Not for a shared commit, because other
   * messages wait for it.
   *
   * <p>All connections of this worker may then be silent for that long, whatever their binding, and
   * a host that disappears may keep its locks for that long. Run a binding with a timeout of hours
   * in a worker of its own.
   *
   * @throws IllegalArgumentException if {@code longest} is not positive
   */
  public HandlerSettings withLongestTimeout(Duration longest) {
    if (longest.isNegative() || longest.isZero()) {
      throw new IllegalArgumentException(
          "longestTimeout must be positive, not " + Humanize.duration(longest));
    }
    return withTime(new Time(time.first, longest, time.cancelByInterrupt));
  }

  /**
   * Interrupts a handler when the cancellation of its message is requested, as at its timeout, and
   * cuts its connection two seconds later: for handlers that cannot check for requests. Not for
   * shared commits and batches.
   */
  public HandlerSettings withCancelByInterrupt() {
    return withTime(new Time(time.first, time.longest, true));
  }

  /**
   * Limits how many messages of the topic one worker handles at once.
   *
   * @throws IllegalArgumentException if {@code threads} is below 1
   */
  public HandlerSettings withMaxThreads(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("maxThreads must be at least 1, not " + threads);
    }
    return withShape(new Shape(threads, shape.transactional, shape.sharedCommit, shape.batchSize));
  }

  /**
   * For a handler that writes nothing to this database: no connection is held while it runs. The
   * message is deleted in a transaction of its own afterwards, so it is handled at least once.
   */
  public HandlerSettings withoutTransaction() {
    return withShape(new Shape(shape.maxThreads, false, shape.sharedCommit, shape.batchSize));
  }

  /**
   * Lets up to 100 messages, or those of 20 ms, share one COMMIT, for short transactional handlers
   * with high throughput: they run one after another on one connection, and are deleted together.
   * If a handler fails, is slow, loses its claim or sends a statement that may commit, the other
   * messages are at most handled again; their effects are not lost or duplicated. Locks of a
   * handler are held until its group commits.
   */
  public HandlerSettings withSharedCommit() {
    return withShape(new Shape(shape.maxThreads, shape.transactional, true, shape.batchSize));
  }

  /**
   * Gives each message a COMMIT of its own. By default a worker lets short handlers with a backlog
   * share one, while recent messages of the topic succeeded within 5 ms, or within 15 ms if COMMITs
   * are slow, too: no message waits more than about 20 ms for the others of its group, and if one
   * fails, the others are handled again individually. Set this if the locks of a handler must not
   * be held until its group commits, or if its effect outside the database should be followed by
   * its own COMMIT at once.
   */
  public HandlerSettings withCommitEach() {
    return withShape(new Shape(shape.maxThreads, shape.transactional, false, shape.batchSize));
  }

  /**
   * Sets the maximum number of messages per call of a {@link BatchHandler}; 100 by default.
   *
   * @throws IllegalArgumentException if {@code most} is below 1 or above 1,000
   */
  public HandlerSettings withBatchSize(int most) {
    if (most < 1 || most > 1_000) {
      throw new IllegalArgumentException("batchSize must be from 1 to 1,000, not " + most);
    }
    return withShape(new Shape(shape.maxThreads, shape.transactional, shape.sharedCommit, most));
  }

  /** Decodes payloads with {@code other} instead of JSON. */
  public HandlerSettings withCodec(PayloadCodec other) {
    return withCoding(new Coding(other, coding.upcasters, coding.required, coding.results));
  }

  /**
   * Converts payloads of older versions with {@code upcasters}. They must lead to the handler's own
   * payload type, and need a codec that is a {@link io.rowqueue.spi.TreeCodec}.
   */
  public HandlerSettings withUpcasters(Upcasters upcasters) {
    return withCoding(new Coding(coding.codec, upcasters, coding.required, coding.results));
  }

  /**
   * Requires these wrappers, such as {@code Sealed.NAME}, on each payload. Messages without them
   * are dead-lettered as {@code not-wrapped}, including those that wait at deployment. The worker
   * refuses to start if it cannot read one of them. Without this setting, encryption keeps payloads
   * secret but does not authenticate their producer.
   */
  public HandlerSettings withRequiredWrappers(String... wrappers) {
    Set<String> all = new TreeSet<>(coding.required);
    all.addAll(List.of(wrappers));
    return withCoding(
        new Coding(
            coding.codec, coding.upcasters, Collections.unmodifiableSet(all), coding.results));
  }

  /**
   * Stores results of a {@link ResultHandler} for {@code keepFor} after the ack, up to 64 KiB each.
   * A result is stored in {@code queue_result}, readable for every account that may read that
   * table, with the wrappers that {@code WrapperBinder.wrap} sets for the topic.
   *
   * @throws IllegalArgumentException unless {@code keepFor} is from a minute to 366 days
   */
  public HandlerSettings withResults(Duration keepFor) {
    return withResults(keepFor, ResultPolicy.DEFAULT_BYTES);
  }

  /**
   * Stores results of up to {@code mostBytes}, encoded and wrapped. A larger result dead-letters
   * its message.
   *
   * @throws IllegalArgumentException unless {@code keepFor} is from a minute to 366 days, and
   *     {@code mostBytes} from 1 to 4 MiB
   */
  public HandlerSettings withResults(Duration keepFor, int mostBytes) {
    return withCoding(
        new Coding(
            coding.codec, coding.upcasters, coding.required, new ResultPolicy(keepFor, mostBytes)));
  }

  /**
   * Also handles messages under these names: the topic's former ones, as long as messages or dead
   * letters have them. Rows keep the topic that they were enqueued to; pauses, retention and rate
   * limits apply per row's topic, threads and weight per binding. The worker refuses to start if
   * another handler has one of the names.
   *
   * @throws io.rowqueue.InvalidMessageException if one is not a valid topic
   */
  public HandlerSettings withFormerTopics(String... names) {
    Set<Topic> all = new TreeSet<>(formerTopics);
    for (String name : names) {
      all.add(new Topic(name));
    }
    return new HandlerSettings(
        retryPolicy, maxAttempts, time, shape, coding, Collections.unmodifiableSet(all));
  }

  /** The names that {@link #withFormerTopics} added; unmodifiable. */
  public Set<Topic> formerTopics() {
    return formerTopics;
  }

  private HandlerPolicy resolve(HandlerDefaults defaults, HandlerKind kind) {
    return new HandlerPolicy(
        retryPolicy == null ? defaults.retryPolicy() : retryPolicy,
        maxAttempts == null ? defaults.maxAttempts() : maxAttempts,
        time.first(defaults),
        time.longest(defaults, shape),
        time.cancelByInterrupt(shape.grouping(kind, time)),
        shape.maxThreads,
        shape.transactional,
        shape.grouping(kind, time),
        coding.codec,
        coding.upcasters,
        coding.required,
        coding.results(kind));
  }

  private HandlerSettings withTime(Time other) {
    return new HandlerSettings(retryPolicy, maxAttempts, other, shape, coding, formerTopics);
  }

  private HandlerSettings withShape(Shape other) {
    return new HandlerSettings(retryPolicy, maxAttempts, time, other, coding, formerTopics);
  }

  private HandlerSettings withCoding(Coding other) {
    return new HandlerSettings(retryPolicy, maxAttempts, time, shape, other, formerTopics);
  }

  /** How payloads are decoded, and results encoded. */
  private record Coding(
      PayloadCodec codec,
      @Nullable Upcasters upcasters,
      Set<String> required,
      @Nullable ResultPolicy results) {

    @Nullable ResultPolicy results(HandlerKind kind) {
      if (results != null && kind != HandlerKind.RESULT) {
        throw new IllegalArgumentException(
            "withResults() is for a ResultHandler; other handlers return no result");
      }
      return results;
    }
  }

  /** The timeout, and its limit if the handler extends it. */
  private record Time(
      @Nullable Duration first, @Nullable Duration longest, boolean cancelByInterrupt) {

    boolean cancelByInterrupt(Grouping grouping) {
      if (cancelByInterrupt && grouping.kind() != Grouping.Kind.ALONE) {
        throw new IllegalArgumentException(
            "withCancelByInterrupt() is for handlers whose message has a transaction of its own");
      }
      return cancelByInterrupt;
    }

    Duration first(HandlerDefaults defaults) {
      return first == null ? defaults.timeout() : first;
    }

    @Nullable Duration longest(HandlerDefaults defaults, Shape shape) {
      if (longest == null) {
        return null;
      }
      if (shape.forcesSharedCommit()) {
        throw new IllegalArgumentException(
            "withLongestTimeout() cannot be combined with withSharedCommit(): other messages wait"
                + " for that commit");
      }
      if (longest.compareTo(first(defaults)) < 0) {
        throw new IllegalArgumentException(
            "longestTimeout %s is below the timeout %s"
                .formatted(Humanize.duration(longest), Humanize.duration(first(defaults))));
      }
      return longest;
    }
  }

  /** How messages share threads and transactions. */
  private record Shape(
      int maxThreads,
      boolean transactional,
      @Nullable Boolean sharedCommit,
      @Nullable Integer batchSize) {

    boolean forcesSharedCommit() {
      return Boolean.TRUE.equals(sharedCommit);
    }

    Grouping grouping(HandlerKind kind, Time time) {
      boolean batch = kind == HandlerKind.BATCH;
      if (forcesSharedCommit() && (batch || !transactional)) {
        throw new IllegalArgumentException(
            "withSharedCommit() is for transactional handlers of one message per call; a batch"
                + " shares its commit anyway, and without a transaction there is none to share");
      }
      if (batch) {
        return Grouping.batch(batchSize == null ? Grouping.DEFAULT_BATCH_SIZE : batchSize);
      }
      if (batchSize != null) {
        throw new IllegalArgumentException("withBatchSize() is for a BatchHandler");
      }
      if (forcesSharedCommit()) {
        return Grouping.SHARED_COMMIT;
      }
      boolean mayTakeLong = time.longest != null || time.cancelByInterrupt;
      return sharedCommit == null && transactional && !mayTakeLong
          ? Grouping.ADAPTIVE
          : Grouping.ALONE;
    }
  }
}
