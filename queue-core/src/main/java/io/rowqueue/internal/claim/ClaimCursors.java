package io.rowqueue.internal.claim;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Below which ids a worker's claims need not look, by topic. Thread-safe. */
@Singleton
public final class ClaimCursors {

  private final Map<Topic, ClaimCursor> byTopic = new ConcurrentHashMap<>();

  /** Where nothing was claimed yet. */
  @Inject
  public ClaimCursors() {}

  /**
   * A message has become available that was not before, whatever its id: the next claim looks from
   * there on.
   */
  public void onInserted(Topic topic, byte priority, long id) {
    ClaimCursor its = byTopic.get(topic);
    if (its != null) {
      its.onInserted(priority, id);
    }
  }

  ClaimCursor of(Topic topic) {
    return byTopic.computeIfAbsent(topic, one -> new ClaimCursor());
  }

  /** Null if nothing of it was claimed yet. */
  @Nullable ClaimCursor known(Topic topic) {
    return byTopic.get(topic);
  }
}
