package io.rowqueue.internal.claim;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Below which ids a worker's claims need not look, by topic. Thread-safe. */
@Singleton
public final class LowWaters {

  private final Map<Topic, LowWater> byTopic = new ConcurrentHashMap<>();

  /** Where nothing was claimed yet. */
  @Inject
  public LowWaters() {}

  /**
   * A message has become available that was not before, whatever its id: the next claim looks from
   * there on.
   */
  public void appeared(Topic topic, byte priority, long id) {
    LowWater its = byTopic.get(topic);
    if (its != null) {
      its.appeared(priority, id);
    }
  }

  LowWater of(Topic topic) {
    return byTopic.computeIfAbsent(topic, one -> new LowWater());
  }

  /** Null if nothing of it was claimed yet. */
  @Nullable LowWater known(Topic topic) {
    return byTopic.get(topic);
  }
}
