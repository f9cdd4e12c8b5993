package io.rowqueue.testkit.internal.memory;

import io.rowqueue.BatchCompleteException;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageBatch;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.enqueue.TxSource;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Produces chains, in the transactions of a connection of {@link Memory#connect}. */
final class MemoryChainProducer implements ChainProducer {

  private final Memory memory;
  private final MemoryProducer producer;
  private final MemoryBatchProducer batches;

  MemoryChainProducer(Memory memory, MemoryProducer producer, MemoryBatchProducer batches) {
    this.memory = memory;
    this.producer = producer;
    this.batches = batches;
  }

  /** No worker to notify. */
  @Override
  public ChainProducer notifying(@Nullable WorkerNotifier notifier) {
    return this;
  }

  @Override
  public long enqueue(Connection connection, Chain chain) {
    return producer.in(TxSource.of(connection), open -> begin(open, null, chain));
  }

  @Override
  public long enqueue(DataSource dataSource, Chain chain) {
    return producer.in(TxSource.of(dataSource), open -> begin(open, null, chain));
  }

  @Override
  public long add(Connection connection, MessageBatch batch, Chain chain) {
    return producer.in(TxSource.of(connection), open -> begin(open, batch, chain));
  }

  @Override
  public long add(DataSource dataSource, MessageBatch batch, Chain chain) {
    return producer.in(TxSource.of(dataSource), open -> begin(open, batch, chain));
  }

  private long begin(MemoryTransaction open, @Nullable MessageBatch batch, Chain chain) {
    List<NewMessage> messages = chain.messages();
    List<NewMessage> steps =
        messages.subList(1, messages.size()).stream().map(producer::encoded).toList();
    synchronized (memory) {
      MemoryChain begun = new MemoryChain(memory.nextBatchId(), chain.name(), steps, memory.now());
      return open.whole(() -> begin(open, batch, begun, messages.get(0)));
    }
  }

  private long begin(
      MemoryTransaction open, @Nullable MessageBatch batch, MemoryChain chain, NewMessage first) {
    MemoryBatch in = batch == null ? null : batches.known(open, batch.id());
    if (batch != null && (in == null || batches.isComplete(open, in))) {
      throw new BatchCompleteException(batch.id());
    }
    EnqueueResult offer = producer.insert(open, List.of(first.withStoredBatch(-chain.id))).get(0);
    if (offer.outcome() != EnqueueResult.Outcome.INSERTED) {
      String key = Objects.requireNonNull(first.deduplication()).key();
      throw new DuplicateMessageException(first.topic(), key, offer.id().value());
    }
    chain.message = offer.id();
    open.add(() -> memory.members.chains.put(chain.id, chain));
    if (in != null) {
      chain.shard = in.shard();
      batches.count(open, in);
    }
    return chain.id;
  }
}
