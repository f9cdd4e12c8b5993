package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.MessageId;
import io.rowqueue.internal.cancel.WaitingMessage;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.claim.ReleasedState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

public final class JooqMessages implements Messages {

  private static final long MOST_BYTES = 8 << 20;

  private static final Field<Long> BODY_BYTES =
      DSL.field(
          "OCTET_LENGTH({0}) + COALESCE(OCTET_LENGTH({1}), 0)",
          SQLDataType.BIGINT, QUEUE_DEAD_LETTER.PAYLOAD, QUEUE_DEAD_LETTER.HEADERS);

  private final Transactions transactions;

  public JooqMessages(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public MessageDetails find(MessageId id) {
    return transactions.readSnapshot(dsl -> JooqFinding.find(dsl, id));
  }

  /**
   * The dead letters among {@code ids}, in their order, with their payloads. Reads them some
   * megabytes at a time, so that a page of large ones does not have to fit into memory.
   */
  public void eachDead(List<MessageId> ids, Consumer<MessageDetails> consumer) {
    Map<Long, Long> sizes =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_DEAD_LETTER.ID, BODY_BYTES)
                    .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                    .where(QUEUE_DEAD_LETTER.ID.in(ids.stream().map(MessageId::value).toList()))
                    .orderBy(QUEUE_DEAD_LETTER.ID)
                    .fetchMap(Record2::value1, Record2::value2));
    List<MessageId> some = new ArrayList<>();
    long bytes = 0;
    for (Map.Entry<Long, Long> letter : sizes.entrySet()) {
      if (!some.isEmpty() && bytes + letter.getValue() > MOST_BYTES) {
        transactions.read(dsl -> JooqFinding.dead(dsl, some)).forEach(consumer);
        some.clear();
        bytes = 0;
      }
      some.add(new MessageId(letter.getKey()));
      bytes += letter.getValue();
    }
    if (!some.isEmpty()) {
      transactions.read(dsl -> JooqFinding.dead(dsl, some)).forEach(consumer);
    }
  }

  @Override
  public OptionalLong externalBodyBytes(MessageId id) {
    return transactions.read(dsl -> JooqBodyLength.of(dsl, id));
  }

  @Override
  public void cancel(MessageId id) {
    check(
        id,
        "cancelled",
        transactions.run(Transition.CANCEL, tx -> WaitingMessage.delete(tx.dsl(), id)));
  }

  @Override
  public int cancelAll(Collection<MessageId> ids) {
    List<MessageId> sorted = ids.stream().distinct().sorted().toList();
    return sorted.isEmpty()
        ? 0
        : transactions.run(Transition.CANCEL, tx -> WaitingMessage.deleteAll(tx.dsl(), sorted));
  }

  @Override
  public CancelOutcome requestCancel(MessageId id, String by) {
    MessageChange.checkRequestedBy(by);
    return transactions
        .run(
            Transition.REQUEST_CANCEL,
            tx ->
                WaitingMessage.delete(tx.dsl(), id) == 1
                    ? Optional.of(CancelOutcome.CANCELLED)
                    : leaveCancelRequest(tx.dsl(), id, by))
        .orElseThrow(() -> refused(id, "cancelled"));
  }

  /** Queries for the request, because the row count does not: an existing request is kept. */
  private static Optional<CancelOutcome> leaveCancelRequest(
      DSLContext dsl, MessageId id, String by) {
    dsl.insertInto(
            QUEUE_CANCEL_REQUEST,
            QUEUE_CANCEL_REQUEST.MESSAGE_ID,
            QUEUE_CANCEL_REQUEST.REQUESTED_AT,
            QUEUE_CANCEL_REQUEST.REQUESTED_BY)
        .select(
            DSL.select(QUEUE_MESSAGE.ID, DatabaseClock.now(), DSL.val(by))
                .from(QUEUE_MESSAGE)
                .where(QUEUE_MESSAGE.ID.eq(id.value())))
        .onDuplicateKeyUpdate()
        .set(QUEUE_CANCEL_REQUEST.REQUESTED_BY, QUEUE_CANCEL_REQUEST.REQUESTED_BY)
        .execute();
    boolean there =
        dsl.fetchExists(
            DSL.selectOne()
                .from(QUEUE_CANCEL_REQUEST)
                .join(QUEUE_MESSAGE)
                .on(QUEUE_MESSAGE.ID.eq(QUEUE_CANCEL_REQUEST.MESSAGE_ID))
                .where(QUEUE_CANCEL_REQUEST.MESSAGE_ID.eq(id.value())));
    return there ? Optional.of(CancelOutcome.REQUESTED) : Optional.empty();
  }

  @Override
  public void reschedule(MessageId id, Duration delay) {
    MessageChange.checkDelay(id, delay);
    reschedule(id, DatabaseClock.after(delay));
  }

  @Override
  public void reschedule(MessageId id, Instant instant) {
    reschedule(id, DSL.val(MessageChange.dueAt(id, instant), DatabaseClock.type()));
  }

  private void reschedule(MessageId id, Field<Instant> due) {
    int rows =
        transactions.run(
            Transition.RESCHEDULE,
            tx ->
                tx.dsl()
                    .update(QUEUE_MESSAGE)
                    .set(
                        QUEUE_MESSAGE.STATE,
                        DSL.when(due.gt(DatabaseClock.now()), DSL.inline(MessageState.SCHEDULED))
                            .otherwise(ReleasedState.of(QUEUE_MESSAGE.ORDERING_KEY)))
                    .set(QUEUE_MESSAGE.DUE_AT, due)
                    .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
                    .where(WaitingMessage.is(id))
                    .and(QUEUE_MESSAGE.STATE.notIn(MessageState.BLOCKED, MessageState.ARRIVING))
                    .execute());
    check(id, "rescheduled", rows);
  }

  /**
   * Makes the scheduled messages among {@code ids} due now in one transaction: callers should limit
   * it to some hundreds. The others are left unchanged without an error.
   *
   * @return how many are due now
   */
  public int runAllNow(Collection<MessageId> ids) {
    List<Long> sorted = ids.stream().map(MessageId::value).sorted().toList();
    return transactions.run(
        Transition.RESCHEDULE,
        tx ->
            tx.dsl()
                .update(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                .set(QUEUE_MESSAGE.STATE, ReleasedState.of(QUEUE_MESSAGE.ORDERING_KEY))
                .set(QUEUE_MESSAGE.DUE_AT, DatabaseClock.now())
                .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
                .where(QUEUE_MESSAGE.ID.in(sorted))
                .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(MessageState.SCHEDULED)))
                .execute());
  }

  @Override
  public void prioritize(MessageId id, int priority) {
    MessageChange.checkPriority(id, priority);
    int rows =
        transactions.run(
            Transition.PRIORITIZE,
            tx ->
                tx.dsl()
                    .update(QUEUE_MESSAGE)
                    .set(QUEUE_MESSAGE.PRIORITY, (byte) priority)
                    .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
                    .where(WaitingMessage.is(id))
                    .execute());
    check(id, "given another priority", rows);
  }

  /** Queries the message only for the reason: the statement has decided already. */
  private void check(MessageId id, String what, int rows) {
    if (rows == 0) {
      throw refused(id, what);
    }
  }

  private RefusedException refused(MessageId id, String what) {
    return MessageChange.refused(find(id), what);
  }
}
