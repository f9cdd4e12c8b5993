package io.rowqueue.order;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.LowWaters;
import io.rowqueue.database.Transaction;
import io.rowqueue.message.TopicKeyId;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jooq.SQLDialect;

/** Lets the next of a line go, in the transaction that ends its head. Thread-safe. */
public final class NextInLine {

  private final LowWaters lowWaters;
  private final JooqOneHead oneHead;

  /** On servers of {@code dialect}, for messages that are claimed above {@code lowWaters}. */
  NextInLine(SQLDialect dialect, LowWaters lowWaters) {
    this.oneHead = new JooqOneHead(dialect);
    this.lowWaters = lowWaters;
  }

  /**
   * Behind the fence, as the transaction's last writes: none of {@code ended} is in the queue any
   * more. Those without an ordering key are passed over.
   */
  public void letGo(Transaction transaction, Collection<Claim> ended) throws SQLException {
    Map<TopicKeyId, Long> heads = new TreeMap<>();
    for (Claim claim : ended) {
      String key = claim.orderingKey();
      if (key != null) {
        heads.put(TopicKeyId.of(claim.topic().name(), key), claim.id().value());
      }
    }
    if (heads.size() == 1) {
      Map.Entry<TopicKeyId, Long> one = heads.entrySet().iterator().next();
      Freed freed = oneHead.letGo(transaction.connection(), one.getKey(), one.getValue());
      offer(transaction, freed == null ? List.of() : List.of(freed));
    } else if (!heads.isEmpty()) {
      letGo(transaction, heads);
    }
  }

  private void letGo(Transaction transaction, Map<TopicKeyId, Long> ended) {
    List<Head> mine =
        JooqHeads.lock(transaction.dsl(), ended.keySet()).stream()
            .filter(head -> Objects.equals(ended.get(head.line()), head.messageId()))
            .toList();
    offer(transaction, JooqHeads.free(transaction.dsl(), mine).freed());
  }

  /** They have low ids, and somebody shall claim them at once. */
  void offer(Transaction transaction, List<Freed> freed) {
    for (Freed one : freed) {
      transaction
          .pendingRing()
          .noteFreed(one.topic(), () -> lowWaters.appeared(one.topic(), one.priority(), one.id()));
    }
  }
}
