package io.rowqueue.internal.handle;

import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.VersionedDecoder;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A binding with its resolved policy, and its handler once that is created. Thread-safe. */
final class BoundHandler {

  private final HandlerBinding binding;
  private final HandlerPolicy policy;
  private final VersionedDecoder decoder;
  private final CommitPolicy commits = new CommitPolicy();
  private final GroupLimit groupLimit = new GroupLimit();
  private volatile @Nullable Handler<?> handler;

  BoundHandler(HandlerBinding binding, HandlerDefaults defaults) {
    this.binding = binding;
    RetryPolicy retries =
        HandlerPolicy.of(binding.settings(), defaults, binding.kind()).retryPolicy();
    this.policy =
        HandlerPolicy.of(
            binding
                .settings()
                .withRetryPolicy(
                    (attempt, failure) -> inItsLoader(() -> retries.backoff(attempt, failure))),
            defaults,
            binding.kind());
    this.decoder = policy.decoder(binding.payloadType());
  }

  HandlerBinding binding() {
    return binding;
  }

  HandlerPolicy policy() {
    return policy;
  }

  /** What is known of its handlings; used if its grouping is {@code ADAPTIVE}. */
  CommitPolicy commits() {
    return commits;
  }

  /** Limits its threads; used if its grouping is {@code ADAPTIVE}. */
  GroupLimit groupLimit() {
    return groupLimit;
  }

  boolean isAdaptive() {
    return policy.grouping().kind() == Grouping.Kind.ADAPTIVE;
  }

  /** The one instance that handles every message; created at the first call. */
  Handler<?> handler() {
    Handler<?> made = handler;
    if (made == null) {
      synchronized (this) {
        made = handler;
        if (made == null) {
          made = binding.handler().get();
          handler = made;
        }
      }
    }
    return made;
  }

  /** Whether the handler reads payloads as streams, which are not decoded by a codec. */
  boolean streams() {
    return binding.payloadType() == InputStream.class;
  }

  /** Decodes a payload of any version that the handler supports. */
  Object decode(byte[] payload, Map<String, String> headers) {
    return inItsLoader(() -> decoder.decode(payload, headers));
  }

  /** What runs outside of the handler finds its libraries where the handler finds them. */
  private <T> T inItsLoader(Supplier<T> work) {
    ClassLoader loader = binding.loader();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader == null ? before : loader);
    try {
      return work.get();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * The cast is safe: the codec decoded to the payload type that the binding took from the handler.
   */
  @SuppressWarnings("unchecked")
  @Nullable Object handle(Object payload, HandlerContext context) throws Exception {
    if (binding.kind() == HandlerKind.RESULT) {
      return ((ResultHandler<Object, Object>) handler()).handle(payload, context);
    }
    ((MessageHandler<Object>) handler()).handle(payload, context);
    return null;
  }

  /** Handles a whole batch. */
  @SuppressWarnings("unchecked")
  void handle(List<Delivery<Object>> batch) throws Exception {
    ((BatchHandler<Object>) handler()).handle(batch);
  }
}
