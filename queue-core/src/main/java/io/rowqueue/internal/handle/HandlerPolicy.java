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
 * The resolved settings of one binding.
 *
 * @param retryPolicy the delay between attempts
 * @param maxAttempts failed attempts until the message is dead-lettered, at least 1
 * @param timeout the handler's timeout unless it extends it
 * @param longestTimeout the maximum of an extended timeout; null if extensions are not allowed
 * @param cancelByInterrupt whether a cancellation request interrupts the handler
 * @param maxThreads the maximum number of messages handled at once in one worker
 * @param transactional whether the handler runs in the transaction that deletes its message
 * @param grouping how many messages one thread processes together
 * @param codec decodes the payload
 * @param upcasters convert payloads of older versions to the handler's; null if there are none
 * @param required names of wrappers that a payload must have
 * @param results how the handler's results are kept; null if they are not
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

  /** Reads settings whose fields only their own class can access. */
  @FunctionalInterface
  public interface Reader {
    /** The policy that {@link #of} returns. */
    HandlerPolicy read(HandlerSettings settings, HandlerDefaults defaults, HandlerKind kind);
  }

  private static final AtomicReference<@Nullable Reader> READER = new AtomicReference<>();

  /** For {@link HandlerSettings}, which calls it before there is an instance. */
  public static void readWith(Reader reader) {
    READER.set(reader);
  }

  /**
   * {@code settings}, with {@code defaults} for everything that they leave open.
   *
   * @param kind of the handler that they are for
   * @throws IllegalArgumentException if the settings contradict each other or the kind of handler
   */
  public static HandlerPolicy of(
      HandlerSettings settings, HandlerDefaults defaults, HandlerKind kind) {
    return Objects.requireNonNull(READER.get()).read(settings, defaults, kind);
  }

  /** The maximum time of one handler call, including extensions. */
  public Duration mostTime() {
    return longestTimeout == null ? timeout : longestTimeout;
  }

  /**
   * The decoder for {@code payload}.
   *
   * @throws IllegalArgumentException if codec, upcasters and {@code payload} do not fit together
   */
  public VersionedDecoder decoder(Type payload) {
    return new VersionedDecoder(codec, payload, upcasters);
  }
}
