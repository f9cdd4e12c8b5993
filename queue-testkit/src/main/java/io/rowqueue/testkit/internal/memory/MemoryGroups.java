package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The ordering settings of topics, and when each ordering key's rate limit admits the next message.
 * Guarded by its {@link Memory}.
 */
final class MemoryGroups {

  private final Memory memory;
  private final Map<Group, Instant> nextAt = new HashMap<>();

  MemoryGroups(Memory memory) {
    this.memory = memory;
  }

  private record Group(Topic topic, String key) {

    static Group of(MemoryRow row) {
      return new Group(row.topic, Objects.requireNonNull(row.orderingKey));
    }
  }

  /** Returns whether an ordering key of {@code topic} may have several running messages. */
  boolean haveCapacity(Topic topic) {
    return memory.rules.mostOfAKey(memory.limits.of(topic).inFlightOfKey()) > 1;
  }

  /** Returns whether {@code row} may run with its key's running messages. */
  boolean hasPlace(MemoryRow row) {
    int most = memory.rules.mostOfAKey(memory.limits.of(row.topic).inFlightOfKey());
    long taken = memory.rows.values().stream().filter(other -> holds(other, row)).count();
    boolean blocked =
        most == 1 && memory.dead.values().stream().anyMatch(letter -> holds(letter.row(), row));
    return taken < most && !blocked;
  }

  private boolean holds(MemoryRow other, MemoryRow row) {
    return other.isFirst && other.hasKeyOf(row) && memory.rules.isOneGroup(other.topic, row.topic);
  }

  boolean hasRate(Topic topic) {
    return perSecond(topic) != null;
  }

  private @Nullable Integer perSecond(Topic topic) {
    return memory.rules.hasKeyRates() ? memory.limits.of(topic).settings().keyPerSecond() : null;
  }

  /** Starts {@code row} under its key's rate limit, if its time has come. */
  boolean begins(MemoryRow row) {
    Integer rate = perSecond(row.topic);
    if (rate == null) {
      return true;
    }
    Instant now = memory.now();
    Duration apart = Duration.ofNanos(1_000L * ((1_000_000 + rate - 1) / rate));
    Instant earliest = now.minus(apart.multipliedBy(Math.max(1, rate / 10) - 1L));
    Instant next = nextAt.getOrDefault(Group.of(row), earliest);
    Instant begin = next.isBefore(earliest) ? earliest : next;
    if (begin.isAfter(now)) {
      return false;
    }
    nextAt.put(Group.of(row), begin.plus(apart));
    return true;
  }
}
