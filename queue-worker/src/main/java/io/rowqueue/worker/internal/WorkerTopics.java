package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.worker.WorkerConfig;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The topics that this worker claims: all with a handler, or the configured subset. */
@Singleton
public final class WorkerTopics {

  private final Set<Topic> topics;
  private final HandlerRegistry registry;

  @Inject
  WorkerTopics(WorkerConfig config, HandlerRegistry registry) {
    if (registry.topics().isEmpty()) {
      throw new HandlerConfigurationException(
          "no handler is bound to any topic; install a module that calls HandlerBinder.bind(...)");
    }
    Set<Topic> unknown = new TreeSet<>(config.topics());
    unknown.removeAll(registry.topics());
    if (!unknown.isEmpty()) {
      throw new HandlerConfigurationException(
          "no handler is bound to %s; bound are %s".formatted(unknown, registry.topics()));
    }
    this.registry = registry;
    named(config.claims().weights().keySet(), "a weight", registry);
    notAliases(config.claims().weights().keySet(), registry);
    named(config.claims().rates().keySet(), "a rate", registry);
    topics = config.topics().isEmpty() ? registry.topics() : withAliases(config.topics(), registry);
  }

  /** A worker that claims a topic also claims its aliases. */
  private static Set<Topic> withAliases(Set<Topic> chosen, HandlerRegistry registry) {
    return registry.topics().stream()
        .filter(topic -> chosen.contains(topic) || chosen.contains(registry.binding(topic)))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** A misspelt topic must not be accepted as a setting without effect. */
  private static void named(Set<Topic> named, String what, HandlerRegistry registry) {
    Set<Topic> unknown = new TreeSet<>(named);
    unknown.removeAll(registry.topics());
    if (!unknown.isEmpty()) {
      throw new HandlerConfigurationException(
          "%s is set for %s, which has no handler; bound are %s"
              .formatted(what, unknown, registry.topics()));
    }
  }

  private static void notAliases(Set<Topic> weighed, HandlerRegistry registry) {
    for (Topic topic : weighed) {
      Topic binding = registry.binding(topic);
      if (!binding.equals(topic)) {
        throw new HandlerConfigurationException(
            "a weight is set for '%s', an alias of '%s' that shares its weight; set it for that"
                .formatted(topic, binding));
      }
    }
  }

  /**
   * Returns the topic that the handler of {@code topic} is bound to; differs from {@code topic} for
   * an alias.
   */
  public Topic binding(Topic topic) {
    return registry.binding(topic);
  }

  /** Checks the payload types of their handlers; see {@link HandlerRegistry#checkPayloads}. */
  public void checkPayloads() {
    registry.checkPayloads();
  }

  /** Returns all of them; never empty. */
  public Set<Topic> all() {
    return topics;
  }
}
