package io.rowqueue.testkit.internal.memory;

import io.rowqueue.DepthSample;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.depth.DepthSampler;
import io.rowqueue.operate.DepthLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** The sampled depths of topics. Guarded by its {@link Memory}. */
final class MemoryDepths implements DepthSampler {

  private static final Duration FRESH = Duration.ofSeconds(1);

  private final Memory memory;
  private final Map<Topic, DepthSample> samples = new HashMap<>();

  MemoryDepths(Memory memory) {
    this.memory = memory;
  }

  @Override
  public boolean sample(Topic topic, DepthLimit limit, NavigableMap<Byte, Long> marks) {
    synchronized (memory) {
      DepthSample before = samples.get(topic);
      Instant now = memory.now();
      if (before != null && before.sampledAt().isAfter(now.minus(FRESH))) {
        return false;
      }
      samples.put(topic, sample(topic, limit, before != null && before.full()));
      return true;
    }
  }

  private DepthSample sample(Topic topic, DepthLimit limit, boolean before) {
    Instant now = memory.now();
    List<MemoryRow> waiting =
        memory.rows.values().stream()
            .filter(row -> row.topic.equals(topic) && memory.rules.isClaimable(row))
            .toList();
    Duration oldest =
        waiting.stream()
            .map(row -> Duration.between(row.dueAt, now))
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    // Those of an ordering key wait as well, such as behind a dead letter.
    long blocked =
        memory.rows.values().stream()
            .filter(row -> row.topic.equals(topic) && row.state == MessageState.BLOCKED)
            .count();
    Long most = limit.depth();
    long depth = most == null ? 0 : Math.min(waiting.size() + blocked, most + 1);
    boolean full = memory.rules.isFull(limit, depth, oldest, before);
    return new DepthSample(full, depth, oldest, now);
  }

  /**
   * Returns the last sample of {@code topic}, or takes a new one: here every reader is a sampler.
   */
  @Nullable DepthSample of(Topic topic) {
    var unused =
        sample(
            topic,
            memory.limits.of(topic).settings().depthLimit(),
            Collections.emptyNavigableMap());
    return samples.get(topic);
  }
}
