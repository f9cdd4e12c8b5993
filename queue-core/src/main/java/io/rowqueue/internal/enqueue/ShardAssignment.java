package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageBatch;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.CounterShard;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Puts the members of one call round the leaves of their batch, one by one: neighbours, which are
 * handled at the same time, have different leaves, and wait for each other seldom.
 */
final class ShardAssignment {

  /** A leaf for fewer members than this costs more than the waits that it saves. */
  private static final int LEAST = 4;

  private ShardAssignment() {}

  /** How many leaves a batch needs whose members are known. */
  static int shards(int most, int members) {
    return Math.max(1, Math.min(most, (members + LEAST - 1) / LEAST));
  }

  /** {@code messages} as members of {@code batch}, from any of its leaves on. */
  static List<NewMessage> over(MessageBatch batch, List<NewMessage> messages) {
    return over(batch, messages, ThreadLocalRandom.current().nextInt(batch.shards()));
  }

  /** The same, from its leaf number {@code from} on. */
  static List<NewMessage> over(MessageBatch batch, List<NewMessage> messages, int from) {
    int used = shards(batch.shards(), messages.size());
    List<NewMessage> members = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      int shard = (from + i % used) % batch.shards();
      members.add(messages.get(i).withStoredBatch(CounterShard.of(batch.id(), shard)));
    }
    return members;
  }

  /**
   * What of each leaf was inserted: not duplicates, and not what was taken into others.
   *
   * @param offers what became of {@code members}, in their order
   */
  static SortedMap<Long, Added> added(List<NewMessage> members, List<EnqueueResult> offers) {
    SortedMap<Long, Added> added = new TreeMap<>();
    for (int i = 0; i < offers.size(); i++) {
      if (offers.get(i).outcome() == EnqueueResult.Outcome.INSERTED) {
        long shard = Objects.requireNonNull(members.get(i).batchId());
        added.merge(shard, new Added(1, offers.get(i).id().value()), Added::plus);
      }
    }
    return added;
  }

  /**
   * Members of one leaf.
   *
   * @param first the lowest id
   */
  record Added(int members, long first) {
    Added plus(Added other) {
      return new Added(members + other.members, Math.min(first, other.first));
    }
  }
}
