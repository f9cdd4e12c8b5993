package io.rowqueue.handle;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.message.Topic;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which handler each topic has. Immutable and thread-safe. */
@Singleton
public final class HandlerRegistry {

  private final Map<Topic, BoundHandler> handlers;

  /**
   * Collects the bindings.
   *
   * @throws HandlerConfigurationException if two handlers are bound to one topic
   */
  @Inject
  public HandlerRegistry(Set<HandlerBinding> bindings, HandlerDefaults defaults) {
    Map<Topic, BoundHandler> byTopic = new TreeMap<>();
    for (HandlerBinding binding : bindings) {
      BoundHandler earlier = byTopic.put(binding.topic(), new BoundHandler(binding, defaults));
      if (earlier != null) {
        throw new HandlerConfigurationException(
            "topic '%s' has two handlers, %s and %s; a topic has one: take one binding away, or give it another topic"
                .formatted(binding.topic(), earlier.binding().source(), binding.source()));
      }
    }
    handlers = Collections.unmodifiableMap(byTopic);
  }

  /** The topics that have a handler. */
  public Set<Topic> topics() {
    return handlers.keySet();
  }

  /**
   * The policy of the handler bound to {@code topic}.
   *
   * @throws IllegalArgumentException if it has none
   */
  public HandlerPolicy policy(Topic topic) {
    BoundHandler handler = handlers.get(topic);
    if (handler == null) {
      throw new IllegalArgumentException("no handler is bound to topic '" + topic + "'");
    }
    return handler.policy();
  }

  /**
   * Makes every handler now, so that one that cannot be made is known before it is needed.
   *
   * @throws HandlerConfigurationException if one cannot; it names the handler and the cause
   */
  public void makeHandlers() {
    for (BoundHandler handler : handlers.values()) {
      try {
        handler.handler();
      } catch (RuntimeException e) {
        throw new HandlerConfigurationException(
            "the handler of topic '%s', %s, cannot be made: %s"
                .formatted(handler.binding().topic(), handler.binding().source(), firstCause(e)),
            e);
      }
    }
  }

  /** Guice wraps what a constructor throws. */
  private static Throwable firstCause(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause.getCause() != null && depth < 20; depth++) {
      cause = cause.getCause();
    }
    return cause;
  }

  @Nullable BoundHandler find(Topic topic) {
    return handlers.get(topic);
  }
}
