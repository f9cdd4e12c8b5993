package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.operate.TopicSettings;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What operators have set for topics. Guarded by its {@link Memory}. */
final class MemoryLimits {

  private final Map<Topic, OfTopic> all = new TreeMap<>(Comparator.comparing(Topic::name));

  /**
   * Of one topic.
   *
   * @param wanted when a worker had work for it and no slot; null if none had
   */
  record OfTopic(TopicSettings settings, @Nullable Instant wanted) {

    static final OfTopic NONE = new OfTopic(TopicSettings.NONE, null);

    OfTopic with(TopicSettings other) {
      return new OfTopic(other, wanted);
    }

    OfTopic wantedAt(Instant at) {
      return new OfTopic(settings, at);
    }

    /** How many of a key may be handled at once. */
    int inFlightOfKey() {
      Integer most = settings.keyInFlight();
      return most == null ? 1 : most;
    }
  }

  OfTopic of(Topic topic) {
    return all.getOrDefault(topic, OfTopic.NONE);
  }

  void set(Topic topic, UnaryOperator<OfTopic> change) {
    all.put(topic, change.apply(of(topic)));
  }

  Map<Topic, OfTopic> all() {
    return all;
  }
}
