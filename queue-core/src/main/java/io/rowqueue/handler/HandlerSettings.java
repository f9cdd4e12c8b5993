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
 * What one binding wants to differ from the worker's {@link HandlerDefaults}. Immutable; each
 * {@code with} method returns a copy.
 */
public final class HandlerSettings {

  private static final HandlerSettings DEFAULTS =
      new HandlerSettings(
          null,
          null,
          new Time(null, null, false),
          new Shape(Integer.MAX_VALUE, true, false, null),
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

  /** Transactional, JSON, as many threads as the worker has, and the rest as the worker is set. */
  public static HandlerSettings defaults() {
    return DEFAULTS;
  }

  /** Waits between attempts as {@code policy} says. */
  public HandlerSettings withRetryPolicy(RetryPolicy policy) {
    return new HandlerSettings(policy, maxAttempts, time, shape, coding, formerTopics);
  }

  /**
   * Makes a dead letter after this many failed attempts.
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
   * Interrupts a handling that takes longer, and then cuts its connection.
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
   * Lets a handler ask for more time by {@link HandlerContext#extendTimeout}, up to {@code longest}
   * after its begin, its first timeout included. Not for a shared commit, where others wait.
   *
   * <p>So long may a connection of this worker be silent, whatever its binding, and so long may a
   * host that vanishes without a word keep its locks: give a binding of hours a worker of its own.
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
   * Interrupts a handling whose message somebody wants cancelled, as at its timeout, and cuts its
   * connection two seconds later: for handlers that cannot ask. Not for shared commits and batches.
   */
  public HandlerSettings withCancelByInterrupt() {
    return withTime(new Time(time.first, time.longest, true));
  }

  /**
   * Handles at most this many messages of the topic at once in one worker.
   *
   * @throws IllegalArgumentException if {@code threads} is below 1
   */
  public HandlerSettings withMaxThreads(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("maxThreads must be at least 1, not " + threads);
    }
    return withShape(shape.withMaxThreads(threads));
  }

  /**
   * For a handler that writes nothing to this database: no connection is held while it runs, the
   * message is deleted in a transaction of its own afterwards, and so it is handled at least once.
   */
  public HandlerSettings withoutTransaction() {
    return withShape(shape.withoutTransaction());
  }

  /**
   * Lets up to 100 messages, or 20 ms of them, share one COMMIT, for short transactional handlers
   * whose rate matters: they run one after another on one connection, and are deleted together. One
   * that fails, is slow, is lost or sends what may commit costs the others at most a second run,
   * never an effect; locks that a handler takes are held until its group commits.
   */
  public HandlerSettings withSharedCommit() {
    return withShape(shape.withSharedCommit());
  }

  /**
   * Gives a {@link BatchHandler} at most this many messages at once; 100 if it is not set.
   *
   * @throws IllegalArgumentException if {@code most} is below 1 or above 1,000
   */
  public HandlerSettings withBatchSize(int most) {
    if (most < 1 || most > 1_000) {
      throw new IllegalArgumentException("batchSize must be from 1 to 1,000, not " + most);
    }
    return withShape(shape.withBatchSize(most));
  }

  /** Decodes payloads with {@code other} instead of JSON. */
  public HandlerSettings withCodec(PayloadCodec other) {
    return withCoding(new Coding(other, coding.upcasters, coding.required, coding.results));
  }

  /**
   * Reads payloads of older versions, too, by way of {@code upcasters}. They lead to the handler's
   * own payload type, and need a codec that is a {@link io.rowqueue.spi.TreeCodec}.
   */
  public HandlerSettings withUpcasters(Upcasters upcasters) {
    return withCoding(new Coding(coding.codec, upcasters, coding.required, coding.results));
  }

  /**
   * Handles only payloads that have these wrappers, too, such as {@code Sealed.NAME}; others become
   * dead letters {@code not-wrapped}, also those that wait when it is deployed. The worker refuses
   * to start if it may not read one of them. Without it a seal hides payloads, and does not say who
   * wrote them.
   */
  public HandlerSettings withRequiredWrappers(String... wrappers) {
    Set<String> all = new TreeSet<>(coding.required);
    all.addAll(List.of(wrappers));
    return withCoding(
        new Coding(
            coding.codec, coding.upcasters, Collections.unmodifiableSet(all), coding.results));
  }

  /**
   * Keeps what a {@link ResultHandler} gives back for {@code keepFor} after the ack, up to 64 KiB
   * of it. It lies in {@code queue_result}, for whoever may read that table, and the wrappers are
   * round it that {@code WrapperBinder.wrap} names for the topic.
   *
   * @throws IllegalArgumentException unless {@code keepFor} is from a minute to 366 days
   */
  public HandlerSettings withResults(Duration keepFor) {
    return withResults(keepFor, ResultPolicy.DEFAULT_BYTES);
  }

  /**
   * The same with results of up to {@code mostBytes}, encoded and wrapped. A larger one makes its
   * message a dead letter.
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
   * Handles what lies under these names, too: its topic's former ones, for as long as messages or
   * dead letters have them. Rows keep the topic they were enqueued to; pausing, keeping and rates
   * go by that, while threads and weight are the topic's own. The worker refuses to start with a
   * name that another handler has.
   *
   * @throws io.rowqueue.InvalidMessageException if one cannot be a topic
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
        time.cancelByInterrupt(shape.grouping(kind)),
        shape.maxThreads,
        shape.transactional,
        shape.grouping(kind),
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

  /** How bytes become payloads, and results bytes. */
  private record Coding(
      PayloadCodec codec,
      @Nullable Upcasters upcasters,
      Set<String> required,
      @Nullable ResultPolicy results) {

    @Nullable ResultPolicy results(HandlerKind kind) {
      if (results != null && kind != HandlerKind.RESULT) {
        throw new IllegalArgumentException(
            "withResults() is for a ResultHandler; other handlers give nothing back");
      }
      return results;
    }
  }

  /** How long a handling may take, and how long if it asks for more. */
  private record Time(
      @Nullable Duration first, @Nullable Duration longest, boolean cancelByInterrupt) {

    boolean cancelByInterrupt(Grouping grouping) {
      if (cancelByInterrupt && grouping.kind() != Grouping.Kind.ALONE) {
        throw new IllegalArgumentException(
            "withCancelByInterrupt() is for handlers whose message has its transaction for itself");
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
      if (shape.sharedCommit) {
        throw new IllegalArgumentException(
            "withLongestTimeout() is not for withSharedCommit(): others wait for that commit");
      }
      if (longest.compareTo(first(defaults)) < 0) {
        throw new IllegalArgumentException(
            "longestTimeout %s is below the timeout %s"
                .formatted(Humanize.duration(longest), Humanize.duration(first(defaults))));
      }
      return longest;
    }
  }

  /** How handlings share threads and transactions. */
  private record Shape(
      int maxThreads, boolean transactional, boolean sharedCommit, @Nullable Integer batchSize) {

    Shape withMaxThreads(int threads) {
      return new Shape(threads, transactional, sharedCommit, batchSize);
    }

    Shape withoutTransaction() {
      return new Shape(maxThreads, false, sharedCommit, batchSize);
    }

    Shape withSharedCommit() {
      return new Shape(maxThreads, transactional, true, batchSize);
    }

    Shape withBatchSize(int most) {
      return new Shape(maxThreads, transactional, sharedCommit, most);
    }

    Grouping grouping(HandlerKind kind) {
      boolean batch = kind == HandlerKind.BATCH;
      if (sharedCommit && (batch || !transactional)) {
        throw new IllegalArgumentException(
            "withSharedCommit() is for one message a call, with a transaction; a batch shares its"
                + " commit by itself, and without a transaction there is none to share");
      }
      if (batch) {
        return Grouping.batch(batchSize == null ? Grouping.DEFAULT_BATCH_SIZE : batchSize);
      }
      if (batchSize != null) {
        throw new IllegalArgumentException("withBatchSize() is for a BatchHandler");
      }
      return sharedCommit ? Grouping.SHARED_COMMIT : Grouping.ALONE;
    }
  }
}
