package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_DEDUPLICATION;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.MessageId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.TopicKeyId;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Scope;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Finds ids of messages by index reads only. */
public final class JooqMessageIds {

  private final Transactions transactions;

  public JooqMessageIds(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Returns the highest id in the queue; 0 if it is empty. */
  long highest() {
    Long highest =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_MESSAGE.ID)
                    .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                    .orderBy(QUEUE_MESSAGE.ID.desc())
                    .limit(1)
                    .fetchOne(QUEUE_MESSAGE.ID));
    return highest == null ? 0 : highest;
  }

  /** Returns the next priority after {@code above}, in claim order, that has messages. */
  @Nullable Byte priority(Scope scope, int above) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_MESSAGE.PRIORITY)
                .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
                .where(scope.rows())
                .and(DSL.condition("{0} > {1}", QUEUE_MESSAGE.PRIORITY, DSL.val(above)))
                .orderBy(QUEUE_MESSAGE.PRIORITY)
                .limit(1)
                .fetchOne(QUEUE_MESSAGE.PRIORITY));
  }

  /** The place of a message in claim order. */
  record Place(byte priority, long id) {}

  /** Returns ids of a topic, state and priority, above {@code after} and up to {@code last}. */
  List<MessageId> of(Scope scope, Place after, Upto upto) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_MESSAGE.ID)
                .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
                .where(scope.rows())
                .and(QUEUE_MESSAGE.PRIORITY.eq(after.priority()))
                .and(QUEUE_MESSAGE.ID.gt(after.id()))
                .and(QUEUE_MESSAGE.ID.le(upto.last()))
                .orderBy(QUEUE_MESSAGE.ID)
                .limit(upto.most())
                .fetch(row -> new MessageId(row.value1())));
  }

  /** The end of an iteration over ids, and its page size. */
  record Upto(long last, int most) {}

  /**
   * Returns the ids of up to {@code most} messages with this ordering key in one of the topics. A
   * key whose last message was settled keeps its row for a while, so the ids may be stale.
   */
  Set<Long> ofOrderingKey(Collection<String> topics, String key, int most) {
    List<byte[]> groups = hashes(topics, key);
    return transactions.read(
        dsl -> {
          Set<Long> found =
              new TreeSet<>(
                  dsl.select(QUEUE_ORDERING_MEMBER.MESSAGE_ID)
                      .from(QUEUE_ORDERING_MEMBER)
                      .where(QUEUE_ORDERING_MEMBER.GROUP_ID.in(groups))
                      .limit(most)
                      .fetch(QUEUE_ORDERING_MEMBER.MESSAGE_ID));
          found.addAll(
              dsl.select(QUEUE_ORDERING_GROUP.MESSAGE_ID)
                  .from(QUEUE_ORDERING_GROUP)
                  .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(groups))
                  .and(QUEUE_ORDERING_GROUP.MESSAGE_ID.isNotNull())
                  .fetch(QUEUE_ORDERING_GROUP.MESSAGE_ID));
          return found;
        });
  }

  /** Returns the ids of the last messages with this deduplication key; they may be settled. */
  public Set<Long> ofDeduplicationKey(Collection<String> topics, String key) {
    return transactions.read(
        dsl ->
            new TreeSet<>(
                dsl.select(QUEUE_DEDUPLICATION.MESSAGE_ID)
                    .from(QUEUE_DEDUPLICATION)
                    .where(QUEUE_DEDUPLICATION.DEDUP_ID.in(hashes(topics, key)))
                    .and(QUEUE_DEDUPLICATION.MESSAGE_ID.isNotNull())
                    .fetch(QUEUE_DEDUPLICATION.MESSAGE_ID)));
  }

  private static List<byte[]> hashes(Collection<String> topics, String key) {
    return topics.stream().map(topic -> TopicKeyId.of(topic, key).bytes()).toList();
  }
}
