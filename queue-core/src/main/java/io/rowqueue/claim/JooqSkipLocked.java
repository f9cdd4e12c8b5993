package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.message.MessageId;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.impl.DSL;

/**
 * Claims with {@code SELECT ... FOR UPDATE SKIP LOCKED} by the claim key, then an update by primary
 * key: the default.
 */
final class JooqSkipLocked implements ClaimStrategy {

  private final Transactions transactions;

  JooqSkipLocked(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    return transactions.run(Transition.CLAIM, tx -> claim(tx.dsl(), request));
  }

  private static List<Claim> claim(DSLContext dsl, ClaimRequest request) {
    Result<? extends Record> head = lock(dsl, request, request.limit(), DSL.noCondition());
    List<Claim> claims = chosen(request, head);
    boolean leftSome = claims.size() < head.size();
    if (leftSome) {
      // Suspects must not hold up what lies behind them.
      int rest = request.limit() - claims.size();
      head = lock(dsl, request, rest, QUEUE_MESSAGE.LOST.eq(0).and(notIn(claims)));
      claims.addAll(chosen(request, head));
    }
    take(dsl, request.lockId(), claims);
    return claims;
  }

  private static Result<? extends Record> lock(
      DSLContext dsl, ClaimRequest request, int limit, Condition filter) {
    return dsl.select(JooqBodies.CLAIM_COLUMNS)
        .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
        .where(QUEUE_MESSAGE.TOPIC.eq(request.topic().name()))
        .and(QUEUE_MESSAGE.STATE.eq(MessageState.AVAILABLE))
        .and(filter)
        .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .fetch();
  }

  private static Condition notIn(List<Claim> claims) {
    return claims.isEmpty()
        ? DSL.noCondition()
        : QUEUE_MESSAGE.ID.notIn(claims.stream().map(claim -> claim.id().value()).toList());
  }

  private static List<Claim> chosen(ClaimRequest request, Result<? extends Record> rows) {
    List<Claim> claims = new ArrayList<>(rows.size());
    int suspects = 0;
    for (Record row : rows) {
      Claim claim = claim(request, row);
      if (!claim.suspect() || suspects++ < request.suspects()) {
        claims.add(claim);
      }
    }
    return claims;
  }

  private static Claim claim(ClaimRequest request, Record row) {
    return new Claim(
        new MessageId(row.get(QUEUE_MESSAGE.ID)),
        request.topic(),
        request.lockId(),
        row.get(QUEUE_MESSAGE.CLAIMS) + 1,
        row.get(QUEUE_MESSAGE.ATTEMPTS),
        row.get(QUEUE_MESSAGE.LOST),
        row.get(JooqBodies.DUE_LATER),
        row.get(QUEUE_MESSAGE.CREATED_AT),
        JooqBodies.inline(row));
  }

  private static void take(DSLContext dsl, LockId lockId, List<Claim> claims) {
    if (claims.isEmpty()) {
      return;
    }
    dsl.update(JooqMessages.BY_PRIMARY_KEY)
        .set(QUEUE_MESSAGE.STATE, MessageState.CLAIMED)
        .set(QUEUE_MESSAGE.LOCK_ID, lockId.value())
        .set(QUEUE_MESSAGE.CLAIMS, QUEUE_MESSAGE.CLAIMS.plus(1))
        .set(QUEUE_MESSAGE.STARTED, (byte) 0)
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
        .where(JooqMessages.byIds(claims.stream().map(claim -> claim.id().value())))
        .execute();
  }
}
