package io.rowqueue.internal.handle;

import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.Upcasters;
import io.rowqueue.handler.VersionedDecoder;
import io.rowqueue.spi.PayloadCodec;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The settings that hold for one binding, nothing left open.
 *
 * @param retryPolicy the wait between attempts
 * @param maxAttempts failed attempts until a dead letter, at least 1
 * @param timeout the longest that one handling may take unless it asks for more
 * @param longestTimeout the longest that it may take if it does; null if it may not ask
 * @param cancelByInterrupt whether a wish to cancel interrupts the handler
 * @param maxThreads the most handlings at once in one worker
 * @param transactional whether the handler runs in the transaction that deletes its message
 * @param grouping how many messages one thread takes on together
 * @param codec decodes the payload
 * @param upcasters bring payloads of older versions to the handler's; null if there are none
 * @param required names of wrappers that a payload must have
 * @param results how what its handler gives back is kept; null if it is not
 */
public record HandlerPolicy(
    RetryPolicy retryPolicy,
    int maxAttempts,
    Duration timeout,
    @Nullable Duration longestTimeout,
    boolean cancelByInterrupt,
    int maxThreads,
    boolean transactional,
    Grouping grouping,
    PayloadCodec codec,
    @Nullable Upcasters upcasters,
    Set<String> required,
    @Nullable ResultPolicy results) {

  /** Reads settings, whose fields nobody but their class sees. */
  @FunctionalInterface
  public interface Reader {
    /** The policy that {@link #of} gives. */
    HandlerPolicy read(HandlerSettings settings, HandlerDefaults defaults, HandlerKind kind);
  }

  private static final AtomicReference<@Nullable Reader> READER = new AtomicReference<>();

  /** For {@link HandlerSettings}, which calls it before there is an instance. */
  public static void readWith(Reader reader) {
    READER.set(reader);
  }

  /**
   * {@code settings}, with {@code defaults} where they leave a choice open.
   *
   * @param kind of the handler that they are for
   * @throws IllegalArgumentException if they contradict each other or the kind of handler
   */
  public static HandlerPolicy of(
      HandlerSettings settings, HandlerDefaults defaults, HandlerKind kind) {
    return Objects.requireNonNull(READER.get()).read(settings, defaults, kind);
  }

  /** The longest that one handling may take in any case. */
  public Duration mostTime() {
    return longestTimeout == null ? timeout : longestTimeout;
  }

  /**
   * Decodes what becomes a {@code payload}.
   *
   * @throws IllegalArgumentException if codec, upcasters and {@code payload} do not go together
   */
  public VersionedDecoder decoder(Type payload) {
    return new VersionedDecoder(codec, payload, upcasters);
  }
}
