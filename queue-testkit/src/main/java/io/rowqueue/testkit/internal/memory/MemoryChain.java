package io.rowqueue.testkit.internal.memory;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.operate.ChainDetails;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A chain's row and its remaining steps, as enqueued. Guarded by its {@link Memory}. */
final class MemoryChain {

  final long id;
  final Deque<NewMessage> steps;
  private final @Nullable String name;
  private final Instant createdAt;

  /** The shard of its batch. */
  @Nullable Long shard;

  /** The current step. */
  @Nullable MessageId message;

  MemoryChain(long id, @Nullable String name, List<NewMessage> steps, Instant now) {
    this.id = id;
    this.name = name;
    this.steps = new ArrayDeque<>(steps);
    this.createdAt = now;
  }

  ChainDetails found() {
    return new ChainDetails(
        id,
        name,
        shard == null ? null : CounterShard.batch(shard),
        message,
        steps.stream().map(step -> step.topic().name()).toList(),
        createdAt);
  }
}
