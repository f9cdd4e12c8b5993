package io.rowqueue.testkit.internal.memory;

import io.rowqueue.MessageId;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.BatchDetails;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.ChainDetails;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Batches and chains, for operators. */
final class MemoryBatches implements Batches {

  private static final Duration KEPT = Duration.ofDays(7);

  private final Memory memory;
  private final Chains chains;

  MemoryBatches(Memory memory) {
    this.memory = memory;
    this.chains = new OfChains();
  }

  /** Returns the messages that end with it. */
  Chains chains() {
    return chains;
  }

  @Override
  public Optional<BatchDetails> find(long id) {
    synchronized (memory) {
      return Optional.ofNullable(memory.members.batches.get(id)).map(MemoryBatch::found);
    }
  }

  @Override
  public List<BatchDetails> list(boolean all, long before, int limit) {
    synchronized (memory) {
      return memory.members.batches.headMap(before, false).descendingMap().values().stream()
          .filter(batch -> all || batch.completedAt == null)
          .limit(limit)
          .map(MemoryBatch::found)
          .toList();
    }
  }

  private MemoryBatch known(long id) {
    MemoryBatch batch = memory.members.batches.get(id);
    if (batch == null) {
      throw new RefusedException(
          "there is no batch %d: it completed more than a week ago, or never existed"
              .formatted(id));
    }
    return batch;
  }

  private MemoryBatch incomplete(long id, String what) {
    MemoryBatch batch = known(id);
    if (batch.completedAt != null) {
      throw new RefusedException(
          "batch %d was not %s: it completed at %s".formatted(id, what, batch.completedAt));
    }
    return batch;
  }

  @Override
  public void close(long id) {
    synchronized (memory) {
      MemoryBatch batch = known(id);
      if (batch.sealed) {
        throw new RefusedException("batch %d is already closed".formatted(id));
      }
      batch.sealed = true;
      memory.members.settle(batch);
    }
  }

  @Override
  public int cancel(long id) {
    synchronized (memory) {
      MemoryBatch batch = known(id);
      if (batch.cancelled && batch.completedAt != null) {
        return 0;
      }
      batch = incomplete(id, "cancelled");
      batch.sealed = true;
      memory.members.settle(batch);
      return sweep(batch);
    }
  }

  @Override
  public int sweep() {
    synchronized (memory) {
      return List.copyOf(memory.members.batches.values()).stream()
          .filter(batch -> batch.cancelled && batch.completedAt == null)
          .mapToInt(this::sweep)
          .sum();
    }
  }

  /** Child batches first: they are members, and end when they are empty. */
  private int sweep(MemoryBatch batch) {
    batch.cancelled = true;
    int count = 0;
    for (MemoryBatch child : List.copyOf(memory.members.batches.values())) {
      count += isIn(batch, child.parent) && child.completedAt == null ? sweep(child) : 0;
    }
    for (MemoryChain chain : List.copyOf(memory.members.chains.values())) {
      count += isIn(batch, chain.shard) && chains.cancel(chain.id) ? 1 : 0;
    }
    for (MemoryRow row : List.copyOf(memory.rows.values())) {
      if (isIn(batch, row.batchId) && memory.rules.mayCancel(row)) {
        memory.cancel(row);
        count++;
      }
    }
    return count;
  }

  private static boolean isIn(MemoryBatch batch, @Nullable Long shard) {
    return shard != null && shard > 0 && CounterShard.batch(shard) == batch.id;
  }

  /** Members cannot be deleted by SQL here, so there is nothing to repair. */
  @Override
  public BatchCounts recount(long id) {
    synchronized (memory) {
      return incomplete(id, "recounted").counts();
    }
  }

  @Override
  public int prune(int limit) {
    synchronized (memory) {
      Instant before = memory.now().minus(KEPT);
      List<MemoryBatch> old =
          memory.members.batches.values().stream()
              .filter(batch -> batch.completedAt != null && batch.completedAt.isBefore(before))
              .limit(limit)
              .toList();
      old.forEach(batch -> memory.members.batches.remove(batch.id));
      return old.size();
    }
  }

  private final class OfChains implements Chains {

    @Override
    public Optional<ChainDetails> find(long id) {
      synchronized (memory) {
        return Optional.ofNullable(memory.members.chains.get(id)).map(MemoryChain::found);
      }
    }

    @Override
    public boolean cancel(long id) {
      synchronized (memory) {
        MemoryChain chain = memory.members.chains.get(id);
        if (chain == null) {
          throw new RefusedException(
              "chain %d was not cancelled: it has ended, or never existed".formatted(id));
        }
        chain.steps.clear();
        MessageId message = chain.message;
        MemoryRow row = message == null ? null : memory.rows.get(message.value());
        boolean taken = row != null && memory.rules.mayCancel(row);
        if (row != null && taken) {
          memory.cancel(row);
        }
        return taken;
      }
    }
  }
}
