package io.rowqueue.internal.handle;

import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.handler.VersionedDecoder;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A binding with its policy resolved, and its handler once it is made. Thread-safe. */
final class BoundHandler {

  private final HandlerBinding binding;
  private final HandlerPolicy policy;
  private final VersionedDecoder decoder;
  private volatile @Nullable Handler<?> handler;

  BoundHandler(HandlerBinding binding, HandlerDefaults defaults) {
    this.binding = binding;
    this.policy = HandlerPolicy.of(binding.settings(), defaults, binding.kind());
    this.decoder = policy.decoder(binding.payloadType());
  }

  HandlerBinding binding() {
    return binding;
  }

  HandlerPolicy policy() {
    return policy;
  }

  /** The one instance that handles every message; made at the first call. */
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

  /** Whether it reads its payloads from streams, which no codec decodes. */
  boolean streams() {
    return binding.payloadType() == InputStream.class;
  }

  /** The payload of any version that it can read. */
  Object decode(byte[] payload, Map<String, String> headers) {
    return decoder.decode(payload, headers);
  }

  /** The codec decoded to the handler's own payload type, which the binding took from it. */
  @SuppressWarnings("unchecked")
  @Nullable Object handle(Object payload, HandlerContext context) throws Exception {
    if (binding.kind() == HandlerKind.RESULT) {
      return ((ResultHandler<Object, Object>) handler()).handle(payload, context);
    }
    ((MessageHandler<Object>) handler()).handle(payload, context);
    return null;
  }

  /** The same for a whole batch. */
  @SuppressWarnings("unchecked")
  void handle(List<Delivery<Object>> batch) throws Exception {
    ((BatchHandler<Object>) handler()).handle(batch);
  }
}
