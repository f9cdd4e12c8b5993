package io.rowqueue.internal.enqueue;

import io.rowqueue.BatchSettings;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.Leaf;
import io.rowqueue.internal.batch.Members;
import io.rowqueue.internal.batch.NewBatch;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Following;
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
public final class FollowingInsert {

  /** So many are added to the leaf of who adds them, which is open. */
  private static final int FEW = 16;

  /** For messages whose payloads are encoded already; the codec passes bytes on as they are. */
  private final MessageProducer producer;

  /** Within the limits by which what handlers add was checked. */
  public FollowingInsert(MessageLimits limits) {
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
    Members members = Members.in(transaction.connection(), transaction.pendingRing());
    List<MessageBatch> nested = new ArrayList<>();
    for (Claim claim : within) {
      long batchId = Objects.requireNonNull(claim.batchId());
      for (Following.NewMembers added : claim.following().members()) {
        MessageBatch made = add(transaction, members, claim, added);
        if (made != null) {
          nested.add(made);
        }
      }
      members.acked(batchId, claim.following().carried());
    }
    members.write();
    for (MessageBatch batch : nested) {
      var unused = members.seal(batch.id(), batch.leaves());
    }
  }

  /** Returns the batch that lies within the member's; null if it added to its own. */
  private @Nullable MessageBatch add(
      Transaction transaction, Members members, Claim claim, Following.NewMembers added)
      throws SQLException {
    long own = Objects.requireNonNull(claim.batchId());
    List<NewMessage> messages = added.messages();
    BatchSettings settings = added.nested();
    if (settings == null) {
      insert(transaction, members, members(members, own, messages));
      return null;
    }
    int leaves = Spread.leaves(settings.leaves(), messages.size());
    NewBatch batch = JdbcBatchProducer.newBatch(settings, leaves, producer);
    long id = members.openWithin(own, claim.id().value(), batch);
    MessageBatch made = new MessageBatch(id, leaves);
    insert(transaction, members, Spread.over(made, messages));
    return made;
  }

  private static List<NewMessage> members(Members members, long own, List<NewMessage> messages)
      throws SQLException {
    Integer leaves = messages.size() > FEW ? members.leaves(Leaf.batch(own)) : null;
    if (leaves == null) {
      return messages.stream().map(message -> message.withStoredBatch(own)).toList();
    }
    return Spread.over(new MessageBatch(Leaf.batch(own), leaves), messages, Leaf.number(own));
  }

  private void insert(Transaction transaction, Members members, List<NewMessage> messages) {
    if (!messages.isEmpty()) {
      Spread.added(messages, producer.offerAll(transaction.dsl(), messages))
          .forEach((leaf, one) -> members.added(leaf, one.members(), one.first()));
    }
  }
}
