package io.rowqueue.internal.claim;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A worker's claim cursors, one per topic. Thread-safe. */
@Singleton
public final class ClaimCursors {

  private final Map<Topic, ClaimCursor> byTopic = new ConcurrentHashMap<>();

  /** Without cursors: nothing was claimed yet. */
  @Inject
  public ClaimCursors() {}

  /** A message has become available, whatever its id: the next claim starts there. */
  public void onInserted(Topic topic, byte priority, long id) {
    ClaimCursor its = byTopic.get(topic);
    if (its != null) {
      its.onInserted(priority, id);
    }
  }

  ClaimCursor of(Topic topic) {
    return byTopic.computeIfAbsent(topic, one -> new ClaimCursor());
  }

  /** Null if nothing of the topic was claimed yet. */
  @Nullable ClaimCursor known(Topic topic) {
    return byTopic.get(topic);
  }
}
