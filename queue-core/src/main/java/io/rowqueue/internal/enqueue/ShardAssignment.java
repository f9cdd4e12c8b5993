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
 * Assigns the members of one call to the shards of their batch in round-robin order. Consecutive
 * members run at the same time; in different shards they seldom wait for each other.
 */
final class ShardAssignment {

  /** Below this number of members a shard costs more than the waits that it saves. */
  private static final int LEAST = 4;

  private ShardAssignment() {}

  /** The number of shards for a batch of {@code members}, at most {@code most}. */
  static int shards(int most, int members) {
    return Math.max(1, Math.min(most, (members + LEAST - 1) / LEAST));
  }

  /** Makes {@code messages} members of {@code batch}, starting at a random shard. */
  static List<NewMessage> over(MessageBatch batch, List<NewMessage> messages) {
    return over(batch, messages, ThreadLocalRandom.current().nextInt(batch.shards()));
  }

  /** Makes {@code messages} members of {@code batch}, starting at shard number {@code from}. */
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
   * Counts the inserted members of each shard, without deduplicated ones.
   *
   * @param offers the results of {@code members}, in their order
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
   * The inserted members of one shard.
   *
   * @param first the lowest id
   */
  record Added(int members, long first) {
    Added plus(Added other) {
      return new Added(members + other.members, Math.min(first, other.first));
    }
  }
}
