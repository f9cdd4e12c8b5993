package io.rowqueue.internal.handle;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.PayloadException;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.internal.wrap.Unwrapping;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The handler of each topic. Immutable and thread-safe. */
@Singleton
public final class HandlerRegistry {

  private final Map<Topic, BoundHandler> handlers;

  /** Sorted, for error messages. */
  private final Set<Topic> topics;

  /**
   * Collects the bindings.
   *
   * @throws HandlerConfigurationException if two handlers are bound to one topic, including former
   *     names, or a binding requires a wrapper that is not allowed
   */
  @Inject
  public HandlerRegistry(
      Set<HandlerBinding> bindings, HandlerDefaults defaults, Unwrapping unwrapping) {
    Map<Topic, BoundHandler> byName = new TreeMap<>();
    for (HandlerBinding binding : bindings) {
      BoundHandler handler = new BoundHandler(binding, defaults);
      checkRequired(handler, unwrapping);
      Set<Topic> names = new TreeSet<>(binding.settings().formerTopics());
      names.add(binding.topic());
      names.forEach(name -> add(name, handler, byName));
    }
    handlers = Map.copyOf(byName);
    topics = Collections.unmodifiableSet(new TreeSet<>(byName.keySet()));
  }

  private static void add(Topic name, BoundHandler handler, Map<Topic, BoundHandler> byName) {
    BoundHandler earlier = byName.put(name, handler);
    if (earlier != null) {
      throw new HandlerConfigurationException(
          "topic '%s' has two handlers, %s and %s, but may have only one: remove a binding, or bind it to another topic"
              .formatted(name, earlier.binding().source(), handler.binding().source()));
    }
  }

  /** A misspelt name would dead-letter every message. */
  private static void checkRequired(BoundHandler handler, Unwrapping unwrapping) {
    Set<String> unknown = new TreeSet<>(handler.policy().required());
    unknown.removeAll(unwrapping.names());
    if (!unknown.isEmpty()) {
      throw new HandlerConfigurationException(
          ("the handler of '%s', %s, requires the wrappers %s, but this worker can only read %s;"
                  + " allow them by WrapperBinder, or correct the names")
              .formatted(
                  handler.binding().topic(),
                  handler.binding().source(),
                  unknown,
                  unwrapping.names()));
    }
  }

  /** The topics that have a handler, including former names, sorted. */
  public Set<Topic> topics() {
    return topics;
  }

  /**
   * The topic that the handler of {@code topic} is bound to; differs from {@code topic} only if
   * that is a former name.
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
   * Checks the bindings of a worker whose handlers' transactions a framework manages.
   *
   * @throws HandlerConfigurationException if one of them demands shared commits
   */
  void checkNoSharedCommits() {
    for (Topic topic : topics) {
      BoundHandler handler = bound(topic);
      if (handler.policy().grouping().kind() == Grouping.Kind.SHARED_COMMIT) {
        throw new HandlerConfigurationException(
            "the handler of topic '%s', %s, has withSharedCommit(), but the transactions of this worker's handlers are managed by the data source given to handlerConnections(), and one message's statements cannot be undone there; remove withSharedCommit()"
                .formatted(topic, handler.binding().source()));
      }
    }
  }

  /**
   * Creates all handlers now, so that a handler that cannot be created is reported at the start.
   *
   * @throws HandlerConfigurationException if one cannot; it names the handler and the cause
   */
  public void makeHandlers() {
    checkPayloads();
    for (Topic topic : topics) {
      BoundHandler handler = bound(topic);
      try {
        handler.handler();
      } catch (RuntimeException e) {
        throw new HandlerConfigurationException(
            "the handler of topic '%s', %s, cannot be created: %s"
                .formatted(handler.binding().topic(), handler.binding().source(), firstCause(e)),
            e);
      }
    }
  }

  /**
   * Checks the payload types of all handlers.
   *
   * @throws HandlerConfigurationException if a codec does not support one; it names the handler
   */
  public void checkPayloads() {
    topics.forEach(topic -> checkPayload(bound(topic)));
  }

  private static void checkPayload(BoundHandler handler) {
    try {
      handler.policy().codec().check(handler.binding().payloadType());
    } catch (PayloadException e) {
      throw new HandlerConfigurationException(
          "the payload type of the handler of topic '%s', %s, is not supported: %s"
              .formatted(handler.binding().topic(), handler.binding().source(), e.getMessage()),
          e);
    }
  }

  /** Guice wraps the exceptions of constructors. */
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
