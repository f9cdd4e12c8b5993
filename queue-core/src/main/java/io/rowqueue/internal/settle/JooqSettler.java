package io.rowqueue.internal.settle;

import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import com.google.inject.Inject;
import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.MessageLimits;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.archive.ArchiveWriter;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.internal.enqueue.FollowUpInsert;
import io.rowqueue.internal.order.OrderingGroup;
import io.rowqueue.internal.order.OrderingGroups;
import io.rowqueue.internal.order.OrderingRelease;
import io.rowqueue.internal.result.ResultWriter;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Query;
import org.jooq.impl.DSL;

public final class JooqSettler implements Settler {

  private final Transactions transactions;
  private final JooqDeadLetters deadLetters;
  private final ArchiveWriter archive;
  private final OrderingRelease next;
  private final ResultWriter results;
  private final FollowUpInsert followUps;
  private final RenderedStatement deleteOne;
  private final RenderedStatement deleteMany;
  private final RenderedStatement lockMany;
  private final RefusedRows<Long> unreleased = new RefusedRows<>("the release of message");

  @Inject
  JooqSettler(
      Transactions transactions,
      JooqDeadLetters deadLetters,
      ArchiveWriter archive,
      OrderingRelease next,
      ResultWriter results,
      MessageLimits limits,
      WorkerNotifier notifier) {
    this.transactions = transactions.ringing(notifier);
    this.deadLetters = deadLetters;
    this.archive = archive;
    this.next = next;
    this.results = results;
    this.followUps = new FollowUpInsert(limits);
    this.deleteOne =
        new RenderedStatement(
            transactions.dialect(), ids -> DSL.deleteFrom(QUEUE_MESSAGE).where(held(0, "", 0)));
    this.deleteMany = new RenderedStatement(transactions.dialect(), JooqSettler::deleteMany);
    this.lockMany = new RenderedStatement(transactions.dialect(), JooqSettler::lockMany);
  }

  @Override
  public void ack(Transaction transaction, Claim claim) throws SQLException {
    if (!delete(transaction, claim)) {
      throw new ClaimLostException(claim, "ack");
    }
    settleSideTables(transaction, List.of(claim));
  }

  /** In the order in which these tables are locked. */
  private void settleSideTables(Transaction transaction, Collection<Claim> acked)
      throws SQLException {
    next.admitNext(transaction, acked);
    results.keep(transaction, acked);
    followUps.write(transaction, acked);
  }

  @Override
  public void ackAll(Transaction transaction, Collection<Claim> claims) throws SQLException {
    int rows = delete(transaction, claims, claim -> claim.attempts() == 0).rows();
    if (rows < claims.size()) {
      throw new ClaimLostException(claims.iterator().next(), "ack, or another of its batch,");
    }
    settleSideTables(transaction, claims);
  }

  @Override
  public int ackAll(Collection<Claim> claims) {
    try {
      return transactions.run(Transition.ACK, tx -> ackHeld(tx, claims));
    } catch (CommitOutcomeUnknownException e) {
      // Repeating is safe: it deletes these claims' messages or finds them already deleted.
      return transactions.run(Transition.ACK, tx -> ackHeld(tx, claims));
    }
  }

  /**
   * Plain messages are deleted in one statement. For the others we must know which claims were
   * still held, because each of those updates batch counters, results or its ordering group.
   * Messages with a result, a batch or a chain are frequent, so their rows are locked first and
   * deleted together; the others are deleted one by one.
   */
  private int ackHeld(Transaction tx, Collection<Claim> claims) throws SQLException {
    if (claims.stream().allMatch(JooqSettler::isPlain)) {
      return deleteTogether(tx, claims);
    }
    List<Claim> read = held(tx, claims.stream().filter(JooqSettler::isReadFirst).toList());
    int rows = deleteTogether(tx, read);
    if (rows < read.size()) {
      throw new IllegalStateException("a locked message was not deleted; this is a bug");
    }
    List<Claim> others = claims.stream().filter(claim -> !JooqSettler.isReadFirst(claim)).toList();
    Deleted deleted = delete(tx, others, JooqSettler::isPlain);
    List<Claim> held = new ArrayList<>(read);
    held.addAll(deleted.oneByOne());
    settleSideTables(tx, held);
    return read.size() + deleted.rows();
  }

  /** Whether nothing but the message's own row must be settled. */
  private static boolean isPlain(Claim claim) {
    return isFirstAttemptOfNoLine(claim) && claim.batchId() == null && claim.result() == null;
  }

  /** Whether only a result, batch counters or a chain must be settled with the message. */
  private static boolean isReadFirst(Claim claim) {
    return isFirstAttemptOfNoLine(claim) && !isPlain(claim);
  }

  private static boolean isFirstAttemptOfNoLine(Claim claim) {
    return claim.attempts() == 0 && claim.orderingKey() == null;
  }

  /** The claims that are still held; their rows are locked. */
  private List<Claim> held(Transaction tx, List<Claim> claims) throws SQLException {
    List<Claim> held = new ArrayList<>();
    for (List<Claim> alike : Claim.alike(claims)) {
      List<Long> ids = alike.stream().map(claim -> claim.id().value()).sorted().toList();
      Set<Long> found = new HashSet<>();
      try (PreparedStatement select = lockMany.prepareForIds(tx.connection(), ids.size())) {
        int fence = RenderedStatement.bind(select, 1, ids);
        select.setString(fence, alike.get(0).lockId().value());
        select.setInt(fence + 1, alike.get(0).number());
        try (ResultSet rows = select.executeQuery()) {
          while (rows.next()) {
            found.add(rows.getLong(1));
          }
        }
      }
      alike.stream().filter(claim -> found.contains(claim.id().value())).forEach(held::add);
    }
    return held;
  }

  private static Query lockMany(int ids) {
    return DSL.select(QUEUE_MESSAGE.ID)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.in(Collections.nCopies(ids, 0L)))
        .and(QUEUE_MESSAGE.LOCK_ID.eq(""))
        .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(0))
        .orderBy(QUEUE_MESSAGE.ID)
        .forUpdate();
  }

  private Deleted delete(Transaction tx, Collection<Claim> claims, Predicate<Claim> together)
      throws SQLException {
    int rows = deleteTogether(tx, claims.stream().filter(together).toList());
    List<Claim> held = deleteEach(tx, claims.stream().filter(together.negate()).toList());
    return new Deleted(rows + held.size(), held);
  }

  /** None of them has failed before, so only the messages are deleted. */
  private int deleteTogether(Transaction tx, Collection<Claim> claims) throws SQLException {
    int rows = 0;
    for (List<Claim> alike : Claim.alike(claims)) {
      archive.keep(tx, alike);
      rows += deleteAlike(tx, alike);
    }
    return rows;
  }

  /** The claims of {@code claims} that were held. */
  private List<Claim> deleteEach(Transaction tx, List<Claim> claims) throws SQLException {
    List<Claim> held = new ArrayList<>();
    for (Claim claim : claims) {
      if (delete(tx, claim)) {
        held.add(claim);
      }
    }
    return held;
  }

  private boolean delete(Transaction tx, Claim claim) throws SQLException {
    archive.keep(tx, List.of(claim));
    int rows = deleteOne(tx, claim);
    if (rows == 1 && claim.attempts() > 0) {
      tx.dsl()
          .deleteFrom(QUEUE_ATTEMPT)
          .where(QUEUE_ATTEMPT.MESSAGE_ID.eq(claim.id().value()))
          .execute();
    }
    return rows == 1;
  }

  private int deleteOne(Transaction tx, Claim claim) throws SQLException {
    try (PreparedStatement statement = deleteOne.prepare(tx.connection(), 1)) {
      statement.setLong(1, claim.id().value());
      return executeFenced(statement, 2, claim);
    }
  }

  private int deleteAlike(Transaction tx, List<Claim> alike) throws SQLException {
    List<Long> ids = alike.stream().map(claim -> claim.id().value()).sorted().toList();
    try (PreparedStatement statement = deleteMany.prepareForIds(tx.connection(), ids.size())) {
      int fence = RenderedStatement.bind(statement, 1, ids);
      return executeFenced(statement, fence, alike.get(0));
    }
  }

  private static int executeFenced(PreparedStatement statement, int fence, Claim claim)
      throws SQLException {
    statement.setString(fence, claim.lockId().value());
    statement.setInt(fence + 1, claim.number());
    return statement.executeUpdate();
  }

  private static Query deleteMany(int ids) {
    return PrimaryKeyDelete.of(
        QUEUE_MESSAGE,
        QUEUE_MESSAGE
            .ID
            .in(Collections.nCopies(ids, 0L))
            .and(QUEUE_MESSAGE.LOCK_ID.eq(""))
            .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(0)));
  }

  @Override
  public boolean retry(Claim claim, AttemptError error, Duration backoff) {
    return transactions.run(
        Transition.RETRY,
        tx -> {
          boolean held = retry(tx.dsl(), claim, error, backoff);
          if (held && !backoff.isZero()) {
            next.onDelayed(tx, claim);
          }
          return held;
        });
  }

  private static boolean retry(DSLContext dsl, Claim claim, AttemptError error, Duration backoff) {
    int rows =
        dsl.update(QUEUE_MESSAGE)
            .set(
                QUEUE_MESSAGE.STATE,
                backoff.isZero() ? MessageState.AVAILABLE : MessageState.SCHEDULED)
            .set(QUEUE_MESSAGE.LOCK_ID, "")
            .set(QUEUE_MESSAGE.ATTEMPTS, QUEUE_MESSAGE.ATTEMPTS.plus(1))
            .set(QUEUE_MESSAGE.DUE_AT, DatabaseClock.after(backoff))
            .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
            .where(held(claim))
            .execute();
    if (rows == 1) {
      keep(dsl, claim, error);
    }
    return rows == 1;
  }

  @Override
  public boolean release(Claim claim, Duration delay) {
    return transactions.run(
        Transition.RELEASE,
        tx -> {
          boolean held = release(tx.dsl(), claim, delay) == 1;
          if (held && !delay.isZero()) {
            next.onDelayed(tx, claim);
          }
          return held;
        });
  }

  @Override
  public int releaseAll(Collection<Claim> claims) {
    List<Claim> sorted = claims.stream().sorted(Comparator.comparing(Claim::id)).toList();
    return RefusedRows.sum(
        unreleased.change(
            sorted,
            claim -> claim.id().value(),
            some -> transactions.run(Transition.RELEASE, tx -> releaseAll(tx.dsl(), some))));
  }

  private static int releaseAll(DSLContext dsl, List<Claim> claims) {
    return claims.stream().mapToInt(claim -> release(dsl, claim, Duration.ZERO)).sum();
  }

  private static int release(DSLContext dsl, Claim claim, Duration delay) {
    return dsl.update(QUEUE_MESSAGE)
        .set(QUEUE_MESSAGE.STATE, delay.isZero() ? MessageState.AVAILABLE : MessageState.SCHEDULED)
        .set(QUEUE_MESSAGE.LOCK_ID, "")
        .set(
            QUEUE_MESSAGE.DUE_AT,
            delay.isZero() ? QUEUE_MESSAGE.DUE_AT : DatabaseClock.after(delay))
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
        .where(held(claim))
        .execute();
  }

  @Override
  public boolean cancel(Claim claim) {
    return transactions.run(Transition.CANCEL_CLAIMED, tx -> cancel(tx, claim));
  }

  /** No copy for the archive: the message was not acknowledged. */
  private boolean cancel(Transaction tx, Claim claim) throws SQLException {
    boolean held = deleteOne(tx, claim) == 1;
    if (held) {
      long id = claim.id().value();
      tx.dsl().deleteFrom(QUEUE_ATTEMPT).where(QUEUE_ATTEMPT.MESSAGE_ID.eq(id)).execute();
      tx.dsl()
          .deleteFrom(QUEUE_CANCEL_REQUEST)
          .where(QUEUE_CANCEL_REQUEST.MESSAGE_ID.eq(id))
          .execute();
      next.admitNext(tx, List.of(claim));
      Long batchId = claim.batchId();
      BatchCounters.cancelled(tx.dsl(), batchId == null ? List.of() : List.of(batchId));
    }
    return held;
  }

  @Override
  public boolean deadLetter(Claim claim, DeadLetterReason reason, AttemptError error) {
    return transactions.run(
        Transition.DEAD_LETTER, tx -> deadLetter(tx.dsl(), claim, reason, error));
  }

  private boolean deadLetter(
      DSLContext dsl, Claim claim, DeadLetterReason reason, AttemptError error) {
    boolean held =
        dsl.select(QUEUE_MESSAGE.ID)
            .from(QUEUE_MESSAGE)
            .where(held(claim))
            .forUpdate()
            .fetchOptional()
            .isPresent();
    if (held) {
      keep(dsl, claim, error);
      deadLetters.write(
          dsl,
          claim.id(),
          new JooqDeadLetters.Reason(reason, error.summary(), claim.lockId().value()),
          new JooqDeadLetters.Counts(claim.attempts() + 1, claim.lost()));
      String key = claim.orderingKey();
      if (key != null) {
        OrderingGroups.skipDeadLetter(
            dsl, new OrderingGroup(claim.topic().name(), key), claim.id().value());
      }
      BatchCounters.dead(dsl, claim.batchId());
    }
    return held;
  }

  private static void keep(DSLContext dsl, Claim claim, AttemptError error) {
    dsl.insertInto(QUEUE_ATTEMPT)
        .set(QUEUE_ATTEMPT.MESSAGE_ID, claim.id().value())
        .set(QUEUE_ATTEMPT.CLAIM_NUMBER, claim.number())
        .set(QUEUE_ATTEMPT.ATTEMPT, claim.attempts() + 1)
        .set(QUEUE_ATTEMPT.WORKER, claim.lockId().value())
        .set(QUEUE_ATTEMPT.FAILED_AT, DatabaseClock.now())
        .set(QUEUE_ATTEMPT.ERROR_CLASS, error.type())
        .set(QUEUE_ATTEMPT.ERROR_MESSAGE, error.message())
        .set(QUEUE_ATTEMPT.ERROR_TRACE, error.trace())
        .execute();
  }

  /** The fence, by primary key: matches this claim, and no later claim of the same message. */
  private static Condition held(Claim claim) {
    return held(claim.id().value(), claim.lockId().value(), claim.number());
  }

  private static Condition held(long id, String lockId, int number) {
    return QUEUE_MESSAGE
        .ID
        .eq(id)
        .and(QUEUE_MESSAGE.LOCK_ID.eq(lockId))
        .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(number));
  }

  /**
   * The outcome of deleting the messages of a list of claims.
   *
   * @param rows how many were held
   * @param oneByOne the held claims among those that were not deleted together
   */
  private record Deleted(int rows, List<Claim> oneByOne) {}
}
