package io.rowqueue.internal.enqueue;

import io.rowqueue.BatchSettings;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.batch.BatchCounters.NewBatch;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.spi.PayloadCodec;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Applies acks to the batches and chains of their messages: enqueues the messages that handlers
 * have added, continues chains and counts members. Runs last in the transaction, since it locks the
 * hottest rows. Thread-safe.
 */
public final class FollowUpInsert {

  /** Up to this many new members join the shard of the adding message, which is surely open. */
  private static final int FEW = 16;

  /** Enqueues messages with encoded payloads; the codec does not change bytes. */
  private final MessageProducer producer;

  /** Expects the limits that the handlers' messages were checked by. */
  public FollowUpInsert(MessageLimits limits) {
    this.producer = MessageProducer.create(PayloadCodec.json(), limits);
  }

  /**
   * Writes the changes. Sends no statement if none of {@code claims} is in a batch or a chain.
   *
   * @param claims the acked messages, all deleted by this transaction
   */
  public void write(Transaction transaction, Collection<Claim> claims) throws SQLException {
    List<Claim> within =
        claims.stream()
            .filter(claim -> claim.batchId() != null)
            .sorted(Comparator.comparing(Claim::id))
            .toList();
    if (within.isEmpty()) {
      return;
    }
    BatchCounters members = BatchCounters.in(transaction.connection(), transaction.afterCommit());
    List<MessageBatch> nested = new ArrayList<>();
    for (Claim claim : within) {
      long batchId = Objects.requireNonNull(claim.batchId());
      for (FollowUps.NewMembers added : claim.followUps().members()) {
        MessageBatch made = add(transaction, members, claim, added);
        if (made != null) {
          nested.add(made);
        }
      }
      members.acked(batchId, claim.followUps().carried());
    }
    members.write();
    for (MessageBatch batch : nested) {
      var unused = members.close(batch.id(), batch.shards());
    }
  }

  /** Returns the new nested batch; null if the messages joined the batch of {@code claim}. */
  private @Nullable MessageBatch add(
      Transaction transaction, BatchCounters members, Claim claim, FollowUps.NewMembers added)
      throws SQLException {
    long own = Objects.requireNonNull(claim.batchId());
    List<NewMessage> messages = added.messages();
    BatchSettings settings = added.nested();
    if (settings == null) {
      insert(transaction, members, members(members, own, messages));
      return null;
    }
    int shards = ShardAssignment.shards(settings.shards(), messages.size());
    NewBatch batch = JdbcBatchProducer.newBatch(settings, shards, producer);
    long id = members.openWithin(own, claim.id().value(), batch);
    MessageBatch made = new MessageBatch(id, shards);
    insert(transaction, members, ShardAssignment.over(made, messages));
    return made;
  }

  private static List<NewMessage> members(
      BatchCounters members, long own, List<NewMessage> messages) throws SQLException {
    Integer shards = messages.size() > FEW ? members.shards(CounterShard.batch(own)) : null;
    if (shards == null) {
      return messages.stream().map(message -> message.withStoredBatch(own)).toList();
    }
    return ShardAssignment.over(
        new MessageBatch(CounterShard.batch(own), shards), messages, CounterShard.number(own));
  }

  private void insert(Transaction transaction, BatchCounters members, List<NewMessage> messages) {
    if (!messages.isEmpty()) {
      ShardAssignment.added(
              messages,
              producer.enqueueAllWithResults(transaction.connectionForProducers(), messages))
          .forEach((shard, one) -> members.added(shard, one.members(), one.first()));
    }
  }
}
