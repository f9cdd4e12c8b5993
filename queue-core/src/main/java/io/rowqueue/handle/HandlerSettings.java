package io.rowqueue.handle;

import io.rowqueue.message.PayloadCodec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one binding wants to differ from the worker's {@link HandlerDefaults}. Immutable; each
 * {@code with} method returns a copy.
 */
public final class HandlerSettings {

  private static final HandlerSettings DEFAULTS =
      new HandlerSettings(null, null, null, Integer.MAX_VALUE, true, PayloadCodec.json());

  private final @Nullable RetryPolicy retryPolicy;
  private final @Nullable Integer maxAttempts;
  private final @Nullable Duration timeout;
  private final int maxThreads;
  private final boolean transactional;
  private final PayloadCodec codec;

  private HandlerSettings(
      @Nullable RetryPolicy retryPolicy,
      @Nullable Integer maxAttempts,
      @Nullable Duration timeout,
      int maxThreads,
      boolean transactional,
      PayloadCodec codec) {
    this.retryPolicy = retryPolicy;
    this.maxAttempts = maxAttempts;
    this.timeout = timeout;
    this.maxThreads = maxThreads;
    this.transactional = transactional;
    this.codec = codec;
  }

  /** Transactional, JSON, as many threads as the worker has, and the rest as the worker is set. */
  public static HandlerSettings defaults() {
    return DEFAULTS;
  }

  /** Waits between attempts as {@code policy} says. */
  public HandlerSettings withRetryPolicy(RetryPolicy policy) {
    return new HandlerSettings(policy, maxAttempts, timeout, maxThreads, transactional, codec);
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
    return new HandlerSettings(retryPolicy, attempts, timeout, maxThreads, transactional, codec);
  }

  /**
   * Interrupts a handling that takes longer, and then cuts its connection.
   *
   * @throws IllegalArgumentException if {@code longest} is not positive
   */
  public HandlerSettings withTimeout(Duration longest) {
    if (longest.isNegative() || longest.isZero()) {
      throw new IllegalArgumentException("timeout must be positive, not " + longest);
    }
    return new HandlerSettings(retryPolicy, maxAttempts, longest, maxThreads, transactional, codec);
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
    return new HandlerSettings(retryPolicy, maxAttempts, timeout, threads, transactional, codec);
  }

  /**
   * For a handler that writes nothing to this database: no connection is held while it runs, the
   * message is deleted in a transaction of its own afterwards, and so it is handled at least once.
   */
  public HandlerSettings withoutTransaction() {
    return new HandlerSettings(retryPolicy, maxAttempts, timeout, maxThreads, false, codec);
  }

  /** Decodes payloads with {@code other} instead of JSON. */
  public HandlerSettings withCodec(PayloadCodec other) {
    return new HandlerSettings(retryPolicy, maxAttempts, timeout, maxThreads, transactional, other);
  }

  /** These settings, with the worker's where they leave a choice open. */
  public HandlerPolicy resolve(HandlerDefaults defaults) {
    return new HandlerPolicy(
        retryPolicy == null ? defaults.retryPolicy() : retryPolicy,
        maxAttempts == null ? defaults.maxAttempts() : maxAttempts,
        timeout == null ? defaults.timeout() : timeout,
        maxThreads,
        transactional,
        codec);
  }
}
