package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.operate.TopicSettings;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The operators' settings of topics. Guarded by its {@link Memory}. */
final class MemoryLimits {

  private final Map<Topic, OfTopic> all = new TreeMap<>(Comparator.comparing(Topic::name));

  /**
   * The settings of one topic.
   *
   * @param wanted when a worker with messages last lacked a slot; null if never
   */
  record OfTopic(TopicSettings settings, @Nullable Instant wanted) {

    static final OfTopic NONE = new OfTopic(TopicSettings.NONE, null);

    OfTopic with(TopicSettings other) {
      return new OfTopic(other, wanted);
    }

    OfTopic wantedAt(Instant at) {
      return new OfTopic(settings, at);
    }

    /** Returns the concurrency limit per ordering key. */
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
