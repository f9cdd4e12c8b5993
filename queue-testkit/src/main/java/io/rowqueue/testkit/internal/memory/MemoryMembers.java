package io.rowqueue.testkit.internal.memory;

import io.rowqueue.BatchSettings;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.claim.MessageState;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Batches, chains, and their reaction to the end of members. A message's membership is in its row,
 * as in the tables: a shard, or a negative number for a chain. Guarded by its {@link Memory}.
 */
final class MemoryMembers {

  private final Memory memory;
  final TreeMap<Long, MemoryBatch> batches = new TreeMap<>();
  final TreeMap<Long, MemoryChain> chains = new TreeMap<>();

  MemoryMembers(Memory memory) {
    this.memory = memory;
  }

  /**
   * Called when a message is acked.
   *
   * @param carried headers for the next step of its chain
   */
  void acked(MemoryRow row, Map<String, String> carried) {
    MemoryChain chain = chainOf(row);
    if (chain == null) {
      acked(batchOf(row.batchId));
    } else if (chain.steps.isEmpty()) {
      chains.remove(chain.id);
      acked(batchOf(chain.shard));
    } else {
      goOn(chain, carried);
    }
  }

  private void goOn(MemoryChain chain, Map<String, String> carried) {
    NewMessage step = memory.rules.nextStep(chain.steps);
    Map<String, String> headers = new HashMap<>(step.headers());
    headers.putAll(carried);
    chain.message = enqueue(step, headers, -chain.id);
  }

  private void acked(@Nullable MemoryBatch batch) {
    if (batch != null) {
      batch.acked++;
      settle(batch);
    }
  }

  /** Called when a message is removed. */
  void cancelled(MemoryRow row) {
    MemoryBatch batch = endOf(row);
    if (batch != null) {
      batch.takenOut++;
      settle(batch);
    }
  }

  /** Returns the batch of a message that ends, together with its chain. */
  private @Nullable MemoryBatch endOf(MemoryRow row) {
    MemoryBatch batch = memberOf(row);
    MemoryChain chain = chainOf(row);
    if (chain != null) {
      chains.remove(chain.id);
    }
    return batch;
  }

  /** Called when a message becomes a dead letter. */
  void dead(MemoryRow row) {
    MemoryBatch batch = memberOf(row);
    if (batch != null && memory.rules.countsDeadMembers()) {
      batch.dead++;
      settle(batch);
    }
  }

  /**
   * Called when a dead letter is deleted: ends the membership, unless the dead letter already did.
   */
  void discarded(MemoryRow row) {
    MemoryBatch batch = endOf(row);
    if (batch != null && batch.holds) {
      batch.dead--;
      batch.takenOut++;
      settle(batch);
    }
  }

  /** Called when a dead letter is redriven; it leaves its batch if that is complete. */
  void redriven(MemoryRow row) {
    MemoryBatch batch = memberOf(row);
    MemoryChain chain = chainOf(row);
    if (batch != null && batch.completedAt == null) {
      batch.dead--;
    } else if (chain != null) {
      chain.shard = null;
    } else {
      row.batchId = null;
    }
  }

  /** Completes {@code batch} if it is done. */
  void settle(MemoryBatch batch) {
    if (batch.completedAt != null || !batch.isOver()) {
      return;
    }
    batch.completedAt = memory.now();
    NewMessage completion = batch.completion;
    if (completion == null) {
      acked(batchOf(batch.parent));
    } else if (memory.rules.enqueuesCompletions()) {
      Map<String, String> headers = new HashMap<>(completion.headers());
      headers.put(BatchSettings.BATCH_HEADER, Long.toString(batch.id));
      headers.put(BatchSettings.COUNTS_HEADER, batch.counts().text());
      MessageId unused = enqueue(completion, headers, batch.parent);
    }
  }

  private MessageId enqueue(NewMessage message, Map<String, String> headers, @Nullable Long in) {
    MemoryRow row =
        new MemoryRow(
            memory.nextId(),
            message.topic(),
            null,
            memory.now(),
            new MemoryRow.Content((byte[]) message.payload(), headers));
    row.priority = message.priority();
    row.batchId = in;
    row.dueAt = memory.rules.dueOfStep(memory.now(), message.delay());
    row.state = row.dueAt.isAfter(memory.now()) ? MessageState.SCHEDULED : MessageState.AVAILABLE;
    memory.rows.put(row.id, row);
    return row.messageId();
  }

  /** Returns the batch that loses a member when {@code row} is acked; null if there is none. */
  @Nullable MemoryBatch lastIn(MemoryRow row) {
    MemoryChain chain = chainOf(row);
    return chain == null || chain.steps.isEmpty() ? memberOf(row) : null;
  }

  private @Nullable MemoryBatch memberOf(MemoryRow row) {
    MemoryChain chain = chainOf(row);
    return batchOf(chain == null ? row.batchId : chain.shard);
  }

  private @Nullable MemoryBatch batchOf(@Nullable Long shard) {
    return shard == null || shard < 0 ? null : batches.get(CounterShard.batch(shard));
  }

  private @Nullable MemoryChain chainOf(MemoryRow row) {
    Long in = row.batchId;
    return in == null || in >= 0 ? null : chains.get(-in);
  }
}
