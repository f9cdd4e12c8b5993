package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.internal.cancel.Cancellations.PolledCancelRequest;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.operate.TopicLimits;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.operate.TopicSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Operators' settings, which are always up to date here. There is no archive. */
final class MemorySettings implements TopicSettingsCache {

  private static final Duration WANTED = Duration.ofSeconds(2);

  private final Memory memory;

  MemorySettings(Memory memory) {
    this.memory = memory;
  }

  @Override
  public PiggybackQuery question(@Nullable LockId worker) {
    throw new UnsupportedOperationException("a queue in memory runs no SQL queries");
  }

  @Override
  public void refresh(@Nullable LockId worker) {}

  @Override
  public long readNanos() {
    return System.nanoTime();
  }

  @Override
  public boolean isPaused(Topic topic) {
    synchronized (memory) {
      return memory.rules.isPaused(memory.paused, topic);
    }
  }

  @Override
  public boolean isKept(Topic topic) {
    return false;
  }

  @Override
  public TopicLimits limits(Topic topic) {
    TopicSettings settings = of(topic).settings();
    return new TopicLimits(settings.maxInFlight(), settings.maxPerSecond());
  }

  @Override
  public boolean isWanted(Topic topic) {
    synchronized (memory) {
      Instant wanted = of(topic).wanted();
      return wanted != null && wanted.isAfter(memory.now().minus(WANTED));
    }
  }

  @Override
  public int weight(Topic topic, int own) {
    Integer weight = of(topic).settings().weight();
    return weight == null ? own : weight;
  }

  @Override
  public DepthLimit depthLimit(Topic topic) {
    return of(topic).settings().depthLimit();
  }

  private MemoryLimits.OfTopic of(Topic topic) {
    synchronized (memory) {
      return memory.limits.of(memory.rules.limited(topic));
    }
  }

  /** Here every reader samples. */
  @Override
  public Set<Topic> fullWithoutLimit() {
    return Set.of();
  }

  /** They are applied at once. */
  @Override
  public List<PolledCancelRequest> cancelRequests() {
    return List.of();
  }

  @Override
  public Set<Long> cancelledBatches() {
    synchronized (memory) {
      return memory.members.batches.values().stream()
          .filter(batch -> batch.cancelled && batch.completedAt == null)
          .map(batch -> batch.id)
          .collect(Collectors.toUnmodifiableSet());
    }
  }

  @Override
  public boolean isWorkerPaused() {
    return false;
  }

  @Override
  public boolean isDrainRequested() {
    return false;
  }
}
