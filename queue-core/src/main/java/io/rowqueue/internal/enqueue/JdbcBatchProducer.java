package io.rowqueue.internal.enqueue;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.batch.BatchCounters.NewBatch;
import io.rowqueue.internal.database.Transition;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes batches by JDBC, on the connection of the transaction. */
public final class JdbcBatchProducer extends SourceBatchProducer {

  private final MessageProducer producer;
  private final OwnTransactions own;

  public JdbcBatchProducer(MessageProducer producer, OwnTransactions own) {
    this.producer = producer;
    this.own = own;
  }

  @Override
  public BatchProducer notifying(@Nullable WorkerNotifier notifier) {
    return new JdbcBatchProducer(producer, new OwnTransactions(notifier));
  }

  /** Encodes the completion message before the transaction begins. */
  @Override
  protected MessageBatch open(TxSource source, BatchSettings settings) {
    NewBatch batch = newBatch(settings, settings.shards(), producer);
    return in(source, Transition.BATCH_ADD, 0, (within, members) -> open(members, batch));
  }

  @Override
  protected List<MessageId> add(TxSource source, MessageBatch batch, List<NewMessage> messages) {
    return in(
        source,
        Transition.BATCH_ADD,
        messages.size(),
        (within, members) -> add(within, members, batch, messages));
  }

  @Override
  protected boolean close(TxSource source, MessageBatch batch) {
    return in(
        source,
        Transition.BATCH_CLOSE,
        0,
        (within, members) -> members.close(batch.id(), batch.shards()));
  }

  @Override
  protected MessageBatch enqueue(
      TxSource source, BatchSettings settings, List<NewMessage> messages) {
    int shards = ShardAssignment.shards(settings.shards(), messages.size());
    NewBatch batch = newBatch(settings, shards, producer);
    return in(
        source,
        Transition.BATCH_ADD,
        messages.size(),
        (within, members) -> {
          MessageBatch made = open(members, batch);
          if (!messages.isEmpty()) {
            var unused = add(within, members, made, messages);
          }
          var unused = members.close(made.id(), made.shards());
          return made;
        });
  }

  private <T> T in(TxSource source, Transition transition, int messages, MemberSession<T> session) {
    return session.in(source, own, transition, "a batch and %d messages".formatted(messages));
  }

  /**
   * The batch that {@code settings} describe, its completion message encoded by {@code producer}.
   */
  static NewBatch newBatch(BatchSettings settings, int shards, MessageProducer producer) {
    NewMessage completion = settings.completion();
    return new NewBatch(
        settings.name(),
        shards,
        settings.holdsDeadLetters(),
        completion == null ? null : producer.encoded(completion));
  }

  private static MessageBatch open(BatchCounters members, NewBatch batch) throws SQLException {
    return new MessageBatch(members.open(batch), batch.shards());
  }

  private List<MessageId> add(
      TxSource within, BatchCounters members, MessageBatch batch, List<NewMessage> messages)
      throws SQLException {
    List<NewMessage> spread = ShardAssignment.over(batch, messages);
    List<EnqueueResult> offers = within.enqueueAllWithResults(producer, spread);
    ShardAssignment.added(spread, offers)
        .forEach((shard, added) -> members.added(shard, added.members(), added.first()));
    members.write();
    return offers.stream().map(EnqueueResult::id).toList();
  }
}
