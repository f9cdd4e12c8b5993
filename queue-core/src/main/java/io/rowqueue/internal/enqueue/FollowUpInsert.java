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
 * What acks mean for the batches and chains of their messages: what handlers added is enqueued,
 * chains go on, members are counted. The last that the transaction does before its COMMIT.
 * Thread-safe.
 */
public final class FollowUpInsert {

  /** So many are added to the leaf of who adds them, which is open. */
  private static final int FEW = 16;

  /** For messages whose payloads are encoded already; the codec passes bytes on as they are. */
  private final MessageProducer producer;

  /** Within the limits by which what handlers add was checked. */
  public FollowUpInsert(MessageLimits limits) {
    this.producer = MessageProducer.create(PayloadCodec.json(), limits);
  }

  /**
   * Sends nothing where none of {@code claims} is in a batch or a chain.
   *
   * @param claims deleted by this transaction, each of them
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

  /** Returns the batch that lies within the member's; null if it added to its own. */
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
      ShardAssignment.added(messages, producer.enqueueAllWithResults(transaction.dsl(), messages))
          .forEach((shard, one) -> members.added(shard, one.members(), one.first()));
    }
  }
}
