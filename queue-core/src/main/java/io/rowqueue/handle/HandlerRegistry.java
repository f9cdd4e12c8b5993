package io.rowqueue.handle;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.message.Topic;
import io.rowqueue.wrap.Unwrapping;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which handler each topic has. Immutable and thread-safe. */
@Singleton
public final class HandlerRegistry {

  private final Map<Topic, BoundHandler> handlers;

  /** In order, for people. */
  private final Set<Topic> topics;

  /**
   * Collects the bindings.
   *
   * @throws HandlerConfigurationException if two handlers are bound to one topic, an alias is not
   *     another name of exactly one topic with a handler, or a binding requires a wrapper that is
   *     not allowed
   */
  @Inject
  public HandlerRegistry(
      Set<HandlerBinding> bindings,
      Set<HandlerAlias> aliases,
      HandlerDefaults defaults,
      Unwrapping unwrapping) {
    Map<Topic, BoundHandler> byTopic = new TreeMap<>();
    for (HandlerBinding binding : bindings) {
      BoundHandler earlier = byTopic.put(binding.topic(), new BoundHandler(binding, defaults));
      if (earlier != null) {
        throw new HandlerConfigurationException(
            "topic '%s' has two handlers, %s and %s; a topic has one: take one binding away, or give it another topic"
                .formatted(binding.topic(), earlier.binding().source(), binding.source()));
      }
    }
    byTopic.values().forEach(handler -> checkRequired(handler, unwrapping));
    Map<Topic, BoundHandler> byName = new TreeMap<>(byTopic);
    for (HandlerAlias alias : aliases) {
      check(alias, byTopic, byName);
      byName.put(alias.alias(), byTopic.get(alias.topic()));
    }
    handlers = Map.copyOf(byName);
    topics = Collections.unmodifiableSet(new TreeSet<>(byName.keySet()));
  }

  /** A misspelt name would set every message aside. */
  private static void checkRequired(BoundHandler handler, Unwrapping unwrapping) {
    Set<String> unknown = new TreeSet<>(handler.policy().required());
    unknown.removeAll(unwrapping.names());
    if (!unknown.isEmpty()) {
      throw new HandlerConfigurationException(
          ("the handler of '%s', %s, requires the wrappers %s, and this worker may read %s; allow"
                  + " them by WrapperBinder, or correct the names")
              .formatted(
                  handler.binding().topic(),
                  handler.binding().source(),
                  unknown,
                  unwrapping.names()));
    }
  }

  private static void check(
      HandlerAlias alias, Map<Topic, BoundHandler> byTopic, Map<Topic, BoundHandler> byName) {
    BoundHandler own = byTopic.get(alias.alias());
    if (own != null) {
      throw refused(
          alias, "'%s' has a handler, %s".formatted(alias.alias(), own.binding().source()));
    }
    if (!byTopic.containsKey(alias.topic())) {
      throw refused(alias, "'%s' has no handler; name a topic that has".formatted(alias.topic()));
    }
    BoundHandler other = byName.get(alias.alias());
    if (other != null) {
      throw refused(alias, "it is one of '%s' already".formatted(other.binding().topic()));
    }
  }

  private static HandlerConfigurationException refused(HandlerAlias alias, String why) {
    return new HandlerConfigurationException(
        "'%s' cannot be an alias of '%s' (%s): %s"
            .formatted(alias.alias(), alias.topic(), alias.source(), why));
  }

  /** The topics that have a handler, aliases included. */
  public Set<Topic> topics() {
    return topics;
  }

  /**
   * The topic that the handler of {@code topic} is bound to: another one only if {@code topic} is
   * an alias.
   *
   * @throws IllegalArgumentException if it has no handler
   */
  public Topic binding(Topic topic) {
    return bound(topic).binding().topic();
  }

  /**
   * The policy of the handler bound to {@code topic}.
   *
   * @throws IllegalArgumentException if it has none
   */
  public HandlerPolicy policy(Topic topic) {
    return bound(topic).policy();
  }

  private BoundHandler bound(Topic topic) {
    BoundHandler handler = handlers.get(topic);
    if (handler == null) {
      throw new IllegalArgumentException("no handler is bound to topic '" + topic + "'");
    }
    return handler;
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
