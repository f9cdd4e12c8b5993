package io.rowqueue.testkit.internal.memory;

import io.rowqueue.BatchCompleteException;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.enqueue.SourceBatchProducer;
import io.rowqueue.internal.enqueue.TxSource;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Produces batches, in the transactions of a connection of {@link Memory#connect}. */
final class MemoryBatchProducer extends SourceBatchProducer {

  private final Memory memory;
  private final MemoryProducer producer;

  MemoryBatchProducer(Memory memory, MemoryProducer producer) {
    this.memory = memory;
    this.producer = producer;
  }

  /** A batch that exists from the COMMIT on. */
  private record Opening(Memory memory, MemoryBatch batch) implements MemoryTransaction.Change {

    @Override
    public void commit() {
      memory.members.batches.put(batch.id, batch);
    }
  }

  /** Members that count from the COMMIT on. */
  private record Adding(MemoryBatch batch, long members) implements MemoryTransaction.Change {

    @Override
    public void commit() {
      batch.total += members;
    }
  }

  /** A batch that accepts no more members from the COMMIT on. */
  private record Sealing(Memory memory, MemoryBatch batch) implements MemoryTransaction.Change {

    @Override
    public void commit() {
      batch.sealed = true;
      memory.members.settle(batch);
    }
  }

  /** No worker to notify. */
  @Override
  public BatchProducer notifying(@Nullable WorkerNotifier notifier) {
    return this;
  }

  @Override
  protected MessageBatch open(TxSource source, BatchSettings settings) {
    return in(source, open -> open(open, settings, null).named());
  }

  @Override
  protected List<MessageId> add(TxSource source, MessageBatch batch, List<NewMessage> messages) {
    return in(source, open -> add(open, batch.id(), messages));
  }

  @Override
  protected boolean close(TxSource source, MessageBatch batch) {
    return in(source, open -> close(open, batch.id()));
  }

  @Override
  protected MessageBatch enqueue(
      TxSource source, BatchSettings settings, List<NewMessage> messages) {
    return in(source, open -> enqueue(open, settings, messages));
  }

  private <T> T in(TxSource source, Function<MemoryTransaction, T> call) {
    return producer.in(
        source,
        open -> {
          synchronized (memory) {
            return open.whole(() -> call.apply(open));
          }
        });
  }

  private MessageBatch enqueue(
      MemoryTransaction open, BatchSettings settings, Collection<NewMessage> messages) {
    MemoryBatch batch = open(open, settings, null);
    List<MessageId> unused = add(open, batch.id, messages);
    open.add(new Sealing(memory, batch));
    return batch.named();
  }

  /**
   * Opens an empty batch.
   *
   * @param parent the shard of its parent batch; null for none
   */
  private MemoryBatch open(MemoryTransaction open, BatchSettings settings, @Nullable Long parent) {
    NewMessage completion = settings.completion();
    MemoryBatch batch =
        new MemoryBatch(
            memory.nextBatchId(),
            new MemoryBatch.Opened(
                settings.name(),
                settings.shards(),
                settings.holdsDeadLetters(),
                completion == null ? null : producer.encoded(completion),
                parent),
            memory.now());
    open.add(new Opening(memory, batch));
    return batch;
  }

  /** Opens a child batch of {@code parent} with {@code messages}, and closes it. */
  void enqueueWithin(
      MemoryTransaction open, long parent, BatchSettings settings, List<NewMessage> messages) {
    MemoryBatch outer = known(open, CounterShard.batch(parent));
    MemoryBatch batch = open(open, settings, parent);
    if (outer != null) {
      count(open, outer);
    }
    List<MessageId> unused = add(open, batch.id, messages);
    open.add(new Sealing(memory, batch));
  }

  /** Adds a member that is not a message. */
  void count(MemoryTransaction open, MemoryBatch batch) {
    open.add(new Adding(batch, 1));
  }

  List<MessageId> add(MemoryTransaction open, long id, Collection<NewMessage> messages) {
    MemoryBatch batch = known(open, id);
    if (batch == null || isComplete(open, batch)) {
      throw new BatchCompleteException(id);
    }
    List<NewMessage> members =
        messages.stream().map(message -> message.withStoredBatch(batch.shard())).toList();
    List<EnqueueResult> offers = producer.insert(open, members);
    open.add(new Adding(batch, inserted(offers)));
    return offers.stream().map(EnqueueResult::id).toList();
  }

  private static long inserted(List<EnqueueResult> offers) {
    return offers.stream()
        .filter(offer -> offer.outcome() == EnqueueResult.Outcome.INSERTED)
        .count();
  }

  private boolean close(MemoryTransaction open, long id) {
    MemoryBatch batch = known(open, id);
    boolean mine = batch != null && !batch.sealed && !isSealedBy(open, batch);
    if (batch != null && mine) {
      open.add(new Sealing(memory, batch));
    }
    return mine;
  }

  private static boolean isSealedBy(MemoryTransaction open, MemoryBatch batch) {
    return open.ofKind(Sealing.class).stream().anyMatch(sealing -> sealing.batch() == batch);
  }

  /**
   * Returns whether {@code batch} is complete as seen by {@code open}, which may have closed or
   * emptied it.
   */
  boolean isComplete(MemoryTransaction open, MemoryBatch batch) {
    boolean sealed = batch.sealed || isSealedBy(open, batch);
    boolean over = sealed && memory.rules.seesOwnSeals() && left(open, batch) <= 0;
    return batch.completedAt != null || over;
  }

  private long left(MemoryTransaction open, MemoryBatch batch) {
    long added =
        open.ofKind(Adding.class).stream()
            .filter(adding -> adding.batch() == batch)
            .mapToLong(Adding::members)
            .sum();
    long acked =
        open.ofKind(MemorySettler.Deleting.class).stream()
            .filter(deleting -> memory.members.lastIn(deleting.row()) == batch)
            .count();
    return batch.left() + added - acked;
  }

  @Nullable MemoryBatch known(MemoryTransaction open, long id) {
    return open.ofKind(Opening.class).stream()
        .map(Opening::batch)
        .filter(batch -> batch.id == id)
        .findFirst()
        .orElse(memory.members.batches.get(id));
  }
}
