package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.Verdict;
import io.rowqueue.internal.depth.DepthJudge;
import io.rowqueue.operate.DepthLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** How full topics were found. Guarded by its {@link Memory}. */
final class MemoryDepths implements DepthJudge {

  private static final Duration FRESH = Duration.ofSeconds(1);

  private final Memory memory;
  private final Map<Topic, Verdict> verdicts = new HashMap<>();

  MemoryDepths(Memory memory) {
    this.memory = memory;
  }

  @Override
  public boolean judge(Topic topic, DepthLimit limit, NavigableMap<Byte, Long> marks) {
    synchronized (memory) {
      Verdict before = verdicts.get(topic);
      Instant now = memory.now();
      if (before != null && before.judgedAt().isAfter(now.minus(FRESH))) {
        return false;
      }
      verdicts.put(topic, verdict(topic, limit, before != null && before.overfull()));
      return true;
    }
  }

  private Verdict verdict(Topic topic, DepthLimit limit, boolean before) {
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
    Long most = limit.depth();
    long depth = most == null ? 0 : Math.min(waiting.size(), most + 1);
    boolean overfull = memory.rules.isOverfull(limit, depth, oldest, before);
    return new Verdict(overfull, depth, oldest, now);
  }

  /** The last verdict on {@code topic}, or a new one: whoever asks here is who judges. */
  @Nullable Verdict of(Topic topic) {
    var unused = judge(topic, memory.limits.of(topic).depth(), Collections.emptyNavigableMap());
    return verdicts.get(topic);
  }
}
