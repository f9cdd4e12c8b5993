package io.rowqueue.internal.deadletter;

import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.claim.ReleasedState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.order.OrderingGroup;
import io.rowqueue.internal.order.OrderingGroups;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.FailedAttempt;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record2;
import org.jooq.impl.DSL;

public final class JooqDeadLetters implements DeadLetters {

  private static final int DETAIL_LENGTH = 4_000;

  /** A page of dead letters must not load their payloads. */
  private static final List<Field<?>> WITHOUT_BODY =
      List.of(
          QUEUE_DEAD_LETTER.ID,
          QUEUE_DEAD_LETTER.TOPIC,
          QUEUE_DEAD_LETTER.REASON,
          QUEUE_DEAD_LETTER.DETAIL,
          QUEUE_DEAD_LETTER.CLAIM_NUMBER,
          QUEUE_DEAD_LETTER.ATTEMPTS,
          QUEUE_DEAD_LETTER.LOST_CLAIMS,
          QUEUE_DEAD_LETTER.CREATED_AT,
          QUEUE_DEAD_LETTER.DEAD_AT);

  private final Transactions transactions;

  public JooqDeadLetters(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public List<DeadLetter> list(Topic topic, int limit) {
    return list(new DeadLetterFilter(topic, null, null, null), 0, limit);
  }

  @Override
  public List<DeadLetter> list(DeadLetterFilter filter, long after, int limit) {
    return list(filter, DeadLetterSearch.ANY, after, limit);
  }

  /** Like {@link #list(DeadLetterFilter, long, int)}, of those that {@code search} finds. */
  public List<DeadLetter> list(
      DeadLetterFilter filter, DeadLetterSearch search, long after, int limit) {
    return transactions.read(
        dsl ->
            dsl.select(WITHOUT_BODY)
                .from(QUEUE_DEAD_LETTER)
                .where(matches(filter))
                .and(search.matches())
                .and(QUEUE_DEAD_LETTER.ID.gt(after))
                .orderBy(QUEUE_DEAD_LETTER.ID)
                .limit(limit)
                .fetch(JooqDeadLetters::deadLetter));
  }

  @Override
  public long count(DeadLetterFilter filter) {
    return count(filter, DeadLetterSearch.ANY);
  }

  /** How many match {@code filter} and {@code search}. */
  public long count(DeadLetterFilter filter, DeadLetterSearch search) {
    return transactions.read(
        dsl ->
            dsl.selectCount()
                .from(QUEUE_DEAD_LETTER)
                .where(matches(filter))
                .and(search.matches())
                .fetchSingle()
                .get(0, Long.class));
  }

  static Condition matches(DeadLetterFilter filter) {
    List<Condition> conditions = new ArrayList<>();
    if (filter.topic() != null) {
      conditions.add(QUEUE_DEAD_LETTER.TOPIC.eq(filter.topic().name()));
    }
    if (filter.reason() != null) {
      conditions.add(QUEUE_DEAD_LETTER.REASON.eq(filter.reason().label()));
    }
    conditions.add(times(filter));
    return DSL.and(conditions);
  }

  static Condition times(DeadLetterFilter filter) {
    return DSL.and(
        filter.since() == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.DEAD_AT.ge(filter.since()),
        filter.until() == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.DEAD_AT.lt(filter.until()));
  }

  @Override
  public Optional<DeadLetter> find(MessageId id) {
    return transactions.read(
        dsl ->
            dsl.select(WITHOUT_BODY)
                .from(QUEUE_DEAD_LETTER)
                .where(QUEUE_DEAD_LETTER.ID.eq(id.value()))
                .fetchOptional(JooqDeadLetters::deadLetter));
  }

  @Override
  public List<DeadLetter> findAll(Collection<MessageId> ids) {
    return transactions.read(
        dsl ->
            dsl.select(WITHOUT_BODY)
                .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                .where(QUEUE_DEAD_LETTER.ID.in(ids.stream().map(MessageId::value).toList()))
                .orderBy(QUEUE_DEAD_LETTER.ID)
                .fetch(JooqDeadLetters::deadLetter));
  }

  @Override
  public List<FailedAttempt> attempts(MessageId id) {
    return transactions.read(
        dsl ->
            dsl.selectFrom(QUEUE_ATTEMPT)
                .where(QUEUE_ATTEMPT.MESSAGE_ID.eq(id.value()))
                .orderBy(QUEUE_ATTEMPT.CLAIM_NUMBER)
                .fetch(JooqDeadLetters::failedAttempt));
  }

  @Override
  public boolean redrive(MessageId id) {
    return redriveAll(List.of(id)) == 1;
  }

  @Override
  public int redriveAll(Collection<MessageId> ids) {
    return onLocked(
        Transition.REDRIVE,
        ids,
        DSL.noCondition(),
        (dsl, locked) -> redrive(dsl, locked, QUEUE_DEAD_LETTER.PAYLOAD));
  }

  /**
   * Redrives the message with another payload, of the same format.
   *
   * @param claimNumber of the dead letter that was edited: the message may have been redriven and
   *     dead-lettered again
   * @return whether there was such a dead letter
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  public boolean redrive(MessageId id, int claimNumber, byte[] payload) {
    return onLocked(
            Transition.REDRIVE,
            List.of(id),
            QUEUE_DEAD_LETTER.CLAIM_NUMBER.eq(claimNumber),
            (dsl, locked) -> redrive(dsl, locked, DSL.val(payload)))
        == 1;
  }

  private static void redrive(DSLContext dsl, Locked locked, Field<byte[]> payload) {
    copyBack(dsl, locked.ids(), payload);
    delete(dsl, locked.ids());
    joinAgain(dsl, locked.batchIds());
  }

  @Override
  public int discardAll(Collection<MessageId> ids) {
    return onLocked(Transition.DISCARD, ids, DSL.noCondition(), JooqDeadLetters::discard);
  }

  private int onLocked(
      Transition transition,
      Collection<MessageId> ids,
      Condition which,
      BiConsumer<DSLContext, Locked> work) {
    List<Long> sorted = ids.stream().map(MessageId::value).distinct().sorted().toList();
    if (sorted.isEmpty()) {
      return 0;
    }
    return transactions.run(
        transition,
        tx -> {
          Locked locked = lock(tx.dsl(), sorted, which);
          if (!locked.ids().isEmpty()) {
            work.accept(tx.dsl(), locked);
          }
          return locked.ids().size();
        });
  }

  private static Locked lock(DSLContext dsl, List<Long> ids, Condition which) {
    Map<Long, Long> batchIds = new TreeMap<>();
    List<Long> locked =
        dsl
            .select(QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.BATCH_ID)
            .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
            .where(QUEUE_DEAD_LETTER.ID.in(ids))
            .and(which)
            .orderBy(QUEUE_DEAD_LETTER.ID)
            .forUpdate()
            .fetch()
            .stream()
            .peek(
                row -> {
                  if (row.value2() != null) {
                    batchIds.put(row.value1(), row.value2());
                  }
                })
            .map(Record2::value1)
            .toList();
    return new Locked(locked, batchIds);
  }

  private static void discard(DSLContext dsl, Locked locked) {
    List<Long> ids = locked.ids();
    Map<Long, OrderingGroup> lines =
        dsl.select(QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.ORDERING_KEY)
            .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
            .where(QUEUE_DEAD_LETTER.ID.in(ids))
            .and(QUEUE_DEAD_LETTER.ORDERING_KEY.isNotNull())
            .fetchMap(QUEUE_DEAD_LETTER.ID, row -> new OrderingGroup(row.value2(), row.value3()));
    delete(dsl, ids);
    OrderingGroups.leftAll(dsl, lines);
    if (!locked.batchIds().isEmpty()) {
      BatchCounters.count(
          dsl,
          members -> {
            for (long batchId : locked.batchIds().values()) {
              members.discarded(batchId);
            }
          });
    }
  }

  /**
   * Their batches wait for them again; a message whose batch is complete is no longer a member of
   * it.
   */
  private static void joinAgain(DSLContext dsl, Map<Long, Long> batchIds) {
    if (!batchIds.isEmpty()) {
      BatchCounters.count(
          dsl,
          members -> {
            Collection<Long> without = members.redriven(batchIds);
            if (!without.isEmpty()) {
              dsl.update(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                  .setNull(QUEUE_MESSAGE.BATCH_ID)
                  .where(QUEUE_MESSAGE.ID.in(without))
                  .execute();
            }
          });
    }
  }

  /**
   * Dead letters whose rows are locked.
   *
   * @param batchIds the batch shard or negated chain id of each that has one
   */
  private record Locked(List<Long> ids, Map<Long, Long> batchIds) {}

  private static void delete(DSLContext dsl, List<Long> ids) {
    PrimaryKeyDelete.run(dsl, QUEUE_DEAD_LETTER, QUEUE_DEAD_LETTER.ID.in(ids));
    PrimaryKeyDelete.run(dsl, QUEUE_ATTEMPT, QUEUE_ATTEMPT.MESSAGE_ID.in(ids));
    // A cancellation request from before the dead letter is obsolete.
    PrimaryKeyDelete.run(dsl, QUEUE_CANCEL_REQUEST, QUEUE_CANCEL_REQUEST.MESSAGE_ID.in(ids));
  }

  private static void copyBack(DSLContext dsl, List<Long> ids, Field<byte[]> payload) {
    dsl.insertInto(
            QUEUE_MESSAGE,
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.TOPIC,
            QUEUE_MESSAGE.STATE,
            QUEUE_MESSAGE.PRIORITY,
            QUEUE_MESSAGE.DUE_AT,
            QUEUE_MESSAGE.CLAIM_NUMBER,
            QUEUE_MESSAGE.CREATED_AT,
            QUEUE_MESSAGE.UPDATED_AT,
            QUEUE_MESSAGE.HEADERS,
            QUEUE_MESSAGE.PAYLOAD,
            QUEUE_MESSAGE.ORDERING_KEY,
            QUEUE_MESSAGE.BATCH_ID)
        .select(
            DSL.select(
                    QUEUE_DEAD_LETTER.ID,
                    QUEUE_DEAD_LETTER.TOPIC,
                    ReleasedState.of(QUEUE_DEAD_LETTER.ORDERING_KEY),
                    QUEUE_DEAD_LETTER.PRIORITY,
                    DatabaseClock.now(),
                    QUEUE_DEAD_LETTER.CLAIM_NUMBER,
                    QUEUE_DEAD_LETTER.CREATED_AT,
                    DatabaseClock.now(),
                    QUEUE_DEAD_LETTER.HEADERS,
                    payload,
                    QUEUE_DEAD_LETTER.ORDERING_KEY,
                    QUEUE_DEAD_LETTER.BATCH_ID)
                .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                .where(QUEUE_DEAD_LETTER.ID.in(ids)))
        .execute();
  }

  /**
   * Copies the message to the dead letters and deletes it; its failed attempts stay in their table.
   * The caller has locked the row and checked the fence.
   */
  public void write(DSLContext dsl, MessageId id, Reason cause, Counts counts) {
    copyMessage(dsl, id, cause, counts);
    dsl.deleteFrom(QUEUE_MESSAGE).where(QUEUE_MESSAGE.ID.eq(id.value())).execute();
  }

  private static void copyMessage(DSLContext dsl, MessageId id, Reason cause, Counts counts) {
    dsl.insertInto(
            QUEUE_DEAD_LETTER,
            QUEUE_DEAD_LETTER.ID,
            QUEUE_DEAD_LETTER.TOPIC,
            QUEUE_DEAD_LETTER.PRIORITY,
            QUEUE_DEAD_LETTER.CLAIM_NUMBER,
            QUEUE_DEAD_LETTER.ATTEMPTS,
            QUEUE_DEAD_LETTER.LOST_CLAIMS,
            QUEUE_DEAD_LETTER.REASON,
            QUEUE_DEAD_LETTER.DETAIL,
            QUEUE_DEAD_LETTER.FINGERPRINT,
            QUEUE_DEAD_LETTER.WORKER,
            QUEUE_DEAD_LETTER.DUE_AT,
            QUEUE_DEAD_LETTER.CREATED_AT,
            QUEUE_DEAD_LETTER.DEAD_AT,
            QUEUE_DEAD_LETTER.HEADERS,
            QUEUE_DEAD_LETTER.PAYLOAD,
            QUEUE_DEAD_LETTER.ORDERING_KEY,
            QUEUE_DEAD_LETTER.BATCH_ID)
        .select(
            DSL.select(
                    QUEUE_MESSAGE.ID,
                    QUEUE_MESSAGE.TOPIC,
                    QUEUE_MESSAGE.PRIORITY,
                    QUEUE_MESSAGE.CLAIM_NUMBER,
                    DSL.val(counts.attempts()),
                    DSL.val(counts.lost()),
                    DSL.val(cause.reason().label()),
                    DSL.val(shortened(cause.detail())),
                    DSL.val(ErrorFingerprint.of(shortened(cause.detail()))),
                    DSL.val(cause.worker()),
                    QUEUE_MESSAGE.DUE_AT,
                    QUEUE_MESSAGE.CREATED_AT,
                    DatabaseClock.now(),
                    QUEUE_MESSAGE.HEADERS,
                    QUEUE_MESSAGE.PAYLOAD,
                    QUEUE_MESSAGE.ORDERING_KEY,
                    QUEUE_MESSAGE.BATCH_ID)
                .from(QUEUE_MESSAGE)
                .where(QUEUE_MESSAGE.ID.eq(id.value())))
        .execute();
  }

  private static String shortened(String detail) {
    return detail.length() <= DETAIL_LENGTH ? detail : detail.substring(0, DETAIL_LENGTH - 1) + "…";
  }

  private static DeadLetter deadLetter(Record row) {
    return new DeadLetter(
        new MessageId(row.get(QUEUE_DEAD_LETTER.ID)),
        new Topic(row.get(QUEUE_DEAD_LETTER.TOPIC)),
        DeadLetterReason.ofLabel(row.get(QUEUE_DEAD_LETTER.REASON)),
        row.get(QUEUE_DEAD_LETTER.DETAIL),
        row.get(QUEUE_DEAD_LETTER.CLAIM_NUMBER),
        row.get(QUEUE_DEAD_LETTER.ATTEMPTS),
        row.get(QUEUE_DEAD_LETTER.LOST_CLAIMS),
        row.get(QUEUE_DEAD_LETTER.CREATED_AT),
        row.get(QUEUE_DEAD_LETTER.DEAD_AT));
  }

  private static FailedAttempt failedAttempt(Record row) {
    return new FailedAttempt(
        row.get(QUEUE_ATTEMPT.ATTEMPT),
        row.get(QUEUE_ATTEMPT.CLAIM_NUMBER),
        row.get(QUEUE_ATTEMPT.WORKER),
        row.get(QUEUE_ATTEMPT.FAILED_AT),
        row.get(QUEUE_ATTEMPT.ERROR_CLASS),
        row.get(QUEUE_ATTEMPT.ERROR_MESSAGE),
        row.get(QUEUE_ATTEMPT.ERROR_TRACE));
  }

  /**
   * The reason for a dead letter.
   *
   * @param reason the reason
   * @param detail a text for operators; at most 4,000 characters are kept
   * @param worker the lock_id of the worker that decided
   */
  public record Reason(DeadLetterReason reason, String detail, String worker) {}

  /**
   * The counters of a dead letter.
   *
   * @param attempts failed attempts, including the last
   * @param lost lost claims, including the last
   */
  public record Counts(int attempts, int lost) {}
}
