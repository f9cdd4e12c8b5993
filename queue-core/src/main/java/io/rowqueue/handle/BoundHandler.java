package io.rowqueue.handle;

import java.util.List;

/** A binding with its policy resolved. */
final class BoundHandler {

  private final HandlerBinding binding;
  private final HandlerPolicy policy;

  BoundHandler(HandlerBinding binding, HandlerDefaults defaults) {
    this.binding = binding;
    this.policy = binding.settings().resolve(defaults, binding.batch());
  }

  HandlerBinding binding() {
    return binding;
  }

  HandlerPolicy policy() {
    return policy;
  }

  Object decode(byte[] payload) {
    return policy.codec().decode(payload, binding.payloadType());
  }

  /** The codec decoded to the handler's own payload type, which the binding took from it. */
  @SuppressWarnings("unchecked")
  void handle(Object payload, HandlerContext context) throws Exception {
    ((MessageHandler<Object>) binding.handler().get()).handle(payload, context);
  }

  /** The same for a whole batch. */
  @SuppressWarnings("unchecked")
  void handle(List<Delivery<Object>> batch) throws Exception {
    ((BatchHandler<Object>) binding.handler().get()).handle(batch);
  }
}
