package io.rowqueue.internal.reap;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.MessageId;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.internal.order.OrderingGroup;
import io.rowqueue.internal.order.OrderingGroups;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.Record3;
import org.jooq.Result;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

public final class JooqReaper implements Reaper {

  private static final byte ALIVE = 1;
  private static final byte DEAD = 0;

  private final Transactions transactions;
  private final JooqDeadLetters deadLetters;
  private final RefusedRows<Long> refused = new RefusedRows<>("the reaping of message");
  private final RefusedRows<String> undeclared = new RefusedRows<>("the declaring dead of worker");
  private final RefusedRows<String> unremoved = new RefusedRows<>("the removal of dead worker");

  public JooqReaper(Transactions transactions, JooqDeadLetters deadLetters) {
    this.transactions = transactions;
    this.deadLetters = deadLetters;
  }

  @Override
  public boolean hasSomeoneGone(Duration soon) {
    return holds(isAnyoneGone(soon));
  }

  @Override
  public Condition isAnyoneGone(Duration soon) {
    return ExistsCondition.of(
        DSL.selectOne()
            .from(QUEUE_WORKER)
            .where(QUEUE_WORKER.IS_ALIVE.eq(DEAD))
            .or(QUEUE_WORKER.LEASE_UNTIL.lt(DatabaseClock.after(soon)))
            .or(hasFreeLock(transactions.dialect())));
  }

  @Override
  public boolean hasOrphans() {
    return holds(
        ExistsCondition.of(
            DSL.selectOne()
                .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                .leftJoin(QUEUE_WORKER)
                .on(QUEUE_WORKER.LOCK_ID.eq(QUEUE_MESSAGE.LOCK_ID))
                .where(QUEUE_MESSAGE.STATE.eq(MessageState.CLAIMED))
                .and(QUEUE_WORKER.LOCK_ID.isNull())));
  }

  private boolean holds(Condition condition) {
    return !transactions.read(dsl -> dsl.selectOne().where(condition).fetch()).isEmpty();
  }

  private static Condition hasFreeLock(ServerDialect dialect) {
    return QUEUE_WORKER
        .IS_ALIVE
        .eq(ALIVE)
        .and(QUEUE_WORKER.SERVER_IDENTITY.eq(ServerIncarnation.identity(dialect)))
        .and(DSL.condition("IS_FREE_LOCK({0}) = 1", QUEUE_WORKER.LOCK_ID));
  }

  @Override
  public Optional<Duration> nextLeaseEnd(Duration soon) {
    Field<Instant> end = DSL.min(QUEUE_WORKER.LEASE_UNTIL);
    Field<Long> micros =
        DSL.field(
            "TIMESTAMPDIFF(MICROSECOND, {0}, {1})", SQLDataType.BIGINT, DatabaseClock.now(), end);
    Long left =
        transactions.read(
            dsl ->
                dsl.select(micros)
                    .from(QUEUE_WORKER)
                    .where(QUEUE_WORKER.IS_ALIVE.eq(ALIVE))
                    .and(QUEUE_WORKER.LEASE_UNTIL.lt(DatabaseClock.after(soon)))
                    .fetchOne(micros));
    return Optional.ofNullable(left).map(one -> Duration.of(Math.max(0, one), ChronoUnit.MICROS));
  }

  @Override
  public int declareDead() {
    List<Record2<String, Instant>> expired =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_WORKER.LOCK_ID, QUEUE_WORKER.LEASE_UNTIL)
                    .from(QUEUE_WORKER)
                    .where(QUEUE_WORKER.IS_ALIVE.eq(ALIVE))
                    .and(QUEUE_WORKER.LEASE_UNTIL.lt(DatabaseClock.now()))
                    .fetch());
    return RefusedRows.sum(
        undeclared.changeEach(
            undeclared.others(expired, Record2::value1),
            Record2::value1,
            row -> declareDead(row.value1(), row.value2())));
  }

  private int declareDead(String lockId, Instant leaseAsRead) {
    return transactions.run(
        Transition.DECLARE_DEAD,
        tx -> lockSilent(tx.dsl(), lockId, leaseAsRead) ? markDead(tx.dsl(), lockId) : 0);
  }

  /**
   * Guarded by the lease as it was read: a renewal in between means that the worker is alive. A
   * locked row is skipped. Its holder is renewing, or it vanished during a renewal; then the server
   * keeps the lock until it ends that connection, and waiting for the lock would delay the release
   * of all other claims as long.
   */
  private static boolean lockSilent(DSLContext dsl, String lockId, Instant leaseAsRead) {
    return dsl.select(QUEUE_WORKER.LOCK_ID)
        .from(QUEUE_WORKER)
        .where(QUEUE_WORKER.LOCK_ID.eq(lockId))
        .and(QUEUE_WORKER.IS_ALIVE.eq(ALIVE))
        .and(QUEUE_WORKER.LEASE_UNTIL.eq(leaseAsRead))
        .forUpdate()
        .skipLocked()
        .fetchOptional()
        .isPresent();
  }

  private static int markDead(DSLContext dsl, String lockId) {
    return dsl.update(QUEUE_WORKER)
        .set(QUEUE_WORKER.IS_ALIVE, DEAD)
        .set(QUEUE_WORKER.UPDATED_AT, DatabaseClock.now())
        .where(QUEUE_WORKER.LOCK_ID.eq(lockId))
        .execute();
  }

  @Override
  public Set<Unlocked> unlocked() {
    return transactions.read(
        dsl -> {
          Result<Record3<String, Instant, Instant>> free = freeLocks(dsl);
          if (free.isEmpty()) {
            return Set.of();
          }
          Instant started = ServerIncarnation.startedAt(dsl);
          return free.stream()
              .filter(row -> started.equals(row.value3()))
              .map(row -> new Unlocked(row.value1(), row.value2()))
              .collect(Collectors.toSet());
        });
  }

  private static Result<Record3<String, Instant, Instant>> freeLocks(DSLContext dsl) {
    return dsl.select(
            QUEUE_WORKER.LOCK_ID, QUEUE_WORKER.LEASE_UNTIL, QUEUE_WORKER.SERVER_STARTED_AT)
        .from(QUEUE_WORKER)
        .where(hasFreeLock(ServerDialect.in(dsl)))
        .fetch();
  }

  @Override
  public boolean declareDead(Unlocked worker) {
    return declareDead(worker.lockId(), worker.lease()) == 1;
  }

  @Override
  public Reaped reap(int limit, int maxLostClaims) {
    List<Orphan> orphans = orphans(limit);
    if (orphans.isEmpty()) {
      return new Reaped(0, 0);
    }
    return refused
        .change(
            orphans,
            Orphan::id,
            some -> transactions.run(Transition.REAP, tx -> reap(tx.dsl(), some, maxLostClaims)))
        .stream()
        .reduce(new Reaped(0, 0), Reaped::plus);
  }

  /** Reads ids first, without locks; the rows are checked again under the lock. */
  private List<Orphan> orphans(int limit) {
    Set<Long> delayed = refused.delayed();
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.LOCK_ID, QUEUE_MESSAGE.CLAIM_NUMBER)
                .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                .leftJoin(QUEUE_WORKER)
                .on(QUEUE_WORKER.LOCK_ID.eq(QUEUE_MESSAGE.LOCK_ID))
                .and(QUEUE_WORKER.IS_ALIVE.eq(ALIVE))
                .where(QUEUE_MESSAGE.STATE.eq(MessageState.CLAIMED))
                .and(QUEUE_WORKER.LOCK_ID.isNull())
                .and(delayed.isEmpty() ? DSL.noCondition() : QUEUE_MESSAGE.ID.notIn(delayed))
                .limit(limit)
                .fetch(
                    row ->
                        new Orphan(
                            row.value1(), row.value2(), row.value3(), 0, false, null, null)));
  }

  private Reaped reap(DSLContext dsl, List<Orphan> orphans, int maxLostClaims) {
    List<Orphan> locked = lock(dsl, orphans);
    List<Orphan> quarantined =
        locked.stream().filter(orphan -> orphan.lostNow() >= maxLostClaims).toList();
    for (Orphan orphan : quarantined) {
      quarantine(dsl, orphan);
    }
    List<Long> ids =
        locked.stream()
            .filter(orphan -> orphan.lostNow() < maxLostClaims)
            .map(Orphan::id)
            .sorted()
            .toList();
    int released = release(dsl, ids);
    count(dsl, quarantined);
    return new Reaped(released, quarantined.size());
  }

  /** A row that the dying worker's COMMIT still locks is skipped; the next query finds it. */
  private static List<Orphan> lock(DSLContext dsl, List<Orphan> orphans) {
    Set<Orphan> asRead = Set.copyOf(orphans);
    return dsl
        .select(
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.LOCK_ID,
            QUEUE_MESSAGE.CLAIM_NUMBER,
            QUEUE_MESSAGE.LOST_CLAIMS,
            QUEUE_MESSAGE.HANDLER_STARTED,
            QUEUE_MESSAGE.TOPIC,
            QUEUE_MESSAGE.ORDERING_KEY,
            QUEUE_MESSAGE.BATCH_ID)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.in(orphans.stream().map(Orphan::id).sorted().toList()))
        .and(QUEUE_MESSAGE.STATE.eq(MessageState.CLAIMED))
        .forUpdate()
        .skipLocked()
        .fetch(
            row ->
                new Orphan(
                    row.value1(),
                    row.value2(),
                    row.value3(),
                    row.value4(),
                    row.value5() == 1,
                    row.value7() == null ? null : new OrderingGroup(row.value6(), row.value7()),
                    row.value8()))
        .stream()
        .filter(orphan -> asRead.contains(orphan.unread()))
        .toList();
  }

  private static int release(DSLContext dsl, List<Long> ids) {
    if (ids.isEmpty()) {
      return 0;
    }
    return dsl.update(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .set(QUEUE_MESSAGE.STATE, MessageState.AVAILABLE)
        .set(QUEUE_MESSAGE.LOCK_ID, "")
        .set(
            QUEUE_MESSAGE.LOST_CLAIMS,
            DSL.when(
                    QUEUE_MESSAGE.LOST_CLAIMS.eq(0).or(QUEUE_MESSAGE.HANDLER_STARTED.eq((byte) 1)),
                    QUEUE_MESSAGE.LOST_CLAIMS.plus(1))
                .otherwise(QUEUE_MESSAGE.LOST_CLAIMS))
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
        .where(QUEUE_MESSAGE.ID.in(ids))
        .execute();
  }

  /** After everything that locks messages. */
  private static void count(DSLContext dsl, List<Orphan> quarantined) {
    List<Long> batchIds =
        quarantined.stream().map(Orphan::batchId).filter(Objects::nonNull).toList();
    if (!batchIds.isEmpty()) {
      BatchCounters.count(
          dsl,
          members -> {
            for (long batchId : batchIds) {
              members.dead(batchId);
            }
          });
    }
  }

  private void quarantine(DSLContext dsl, Orphan orphan) {
    Integer attempts =
        dsl.select(QUEUE_MESSAGE.ATTEMPTS)
            .from(QUEUE_MESSAGE)
            .where(QUEUE_MESSAGE.ID.eq(orphan.id()))
            .fetchOne(QUEUE_MESSAGE.ATTEMPTS);
    deadLetters.write(
        dsl,
        new MessageId(orphan.id()),
        new JooqDeadLetters.Reason(
            DeadLetterReason.CLAIMS_LOST,
            "%d claims died with their workers, the last one with %s; find out what ends the process"
                .formatted(orphan.lostNow(), orphan.lockId()),
            orphan.lockId()),
        new JooqDeadLetters.Counts(attempts == null ? 0 : attempts, orphan.lostNow()));
    OrderingGroup line = orphan.line();
    if (line != null) {
      OrderingGroups.skipDeadLetter(dsl, line, orphan.id());
    }
  }

  @Override
  public int removeDead() {
    List<String> dead =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_WORKER.LOCK_ID)
                    .from(QUEUE_WORKER)
                    .where(QUEUE_WORKER.IS_ALIVE.eq(DEAD))
                    .andNot(
                        ExistsCondition.of(
                            DSL.selectOne()
                                .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                                .where(QUEUE_MESSAGE.STATE.eq(MessageState.CLAIMED))
                                .and(QUEUE_MESSAGE.LOCK_ID.eq(QUEUE_WORKER.LOCK_ID))))
                    .fetch(QUEUE_WORKER.LOCK_ID));
    return RefusedRows.sum(
        unremoved.changeEach(
            unremoved.others(dead, lockId -> lockId), lockId -> lockId, this::remove));
  }

  private int remove(String lockId) {
    return transactions.run(
        Transition.DEREGISTER,
        tx ->
            tx.dsl()
                .deleteFrom(QUEUE_WORKER)
                .where(QUEUE_WORKER.LOCK_ID.eq(lockId))
                .and(QUEUE_WORKER.IS_ALIVE.eq(DEAD))
                .execute());
  }

  private record Orphan(
      long id,
      String lockId,
      int claims,
      int lost,
      boolean started,
      @Nullable OrderingGroup line,
      @Nullable Long batchId) {

    /** As the first query read it, without the counters. */
    Orphan unread() {
      return new Orphan(id, lockId, claims, 0, false, null, null);
    }

    /**
     * The number of lost claims, including this one if it counts. The first always counts; a later
     * one only if its handling had started, so that a message that kills its worker does not count
     * against the messages claimed with it.
     */
    int lostNow() {
      return lost == 0 || started ? lost + 1 : lost;
    }
  }
}
