package io.rowqueue.testkit;

import com.google.inject.Provider;
import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.internal.handle.HandlerBinding;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The application's bindings, with a recorder around each handler. */
final class RecordedBindings {

  private final Stage stage;

  RecordedBindings(Stage stage) {
    this.stage = stage;
  }

  Set<HandlerBinding> of(Set<HandlerBinding> bindings) {
    return bindings.stream().map(this::recorded).collect(Collectors.toSet());
  }

  private HandlerBinding recorded(HandlerBinding binding) {
    Provider<? extends Handler<?>> real = binding.handler();
    Provider<Handler<?>> recorded = () -> recorded(real.get());
    return new HandlerBinding(
        binding.topic(),
        recorded,
        binding.kind(),
        binding.payloadType(),
        binding.settings(),
        binding.source());
  }

  /** Handlers of a kind are recorded with the payload type of the binding. */
  @SuppressWarnings("unchecked")
  private Handler<?> recorded(Handler<?> real) {
    if (real instanceof ResultHandler<?, ?> handler) {
      ResultHandler<Object, Object> typed = (ResultHandler<Object, Object>) handler;
      return (ResultHandler<Object, Object>)
          (payload, context) -> call(payload, () -> typed.handle(payload, heard(context)));
    }
    if (real instanceof BatchHandler<?> handler) {
      BatchHandler<Object> typed = (BatchHandler<Object>) handler;
      return (BatchHandler<Object>)
          batch -> {
            var unused =
                call(
                    null,
                    () -> {
                      typed.handle(heard(batch));
                      return null;
                    });
          };
    }
    MessageHandler<Object> typed = (MessageHandler<Object>) real;
    return (MessageHandler<Object>)
        (payload, context) -> {
          var unused =
              call(
                  payload,
                  () -> {
                    typed.handle(payload, heard(context));
                    return null;
                  });
        };
  }

  private @Nullable Object call(@Nullable Object payload, Handle handler) throws Exception {
    Recording recording = stage.recording();
    recording.begins();
    if (payload != null) {
      stage.arrived(payload);
    }
    try {
      Object value = handler.call();
      recording.gave(value);
      return value;
    } catch (Throwable e) {
      recording.threw(e);
      throw e;
    }
  }

  private List<Delivery<Object>> heard(List<Delivery<Object>> batch) {
    return batch.stream()
        .map(each -> new Delivery<>(each.payload(), heard(each.context())))
        .toList();
  }

  private HandlerContext heard(HandlerContext context) {
    return new RecordingContext(context, stage.recording());
  }

  private interface Handle {
    @Nullable Object call() throws Exception;
  }
}
