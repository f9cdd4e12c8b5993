package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record2;
import org.jooq.impl.DSL;

public final class JooqClaimStore implements ClaimStore {

  private static final Condition DUE =
      QUEUE_MESSAGE
          .STATE
          .eq(MessageState.SCHEDULED)
          .and(QUEUE_MESSAGE.DUE_AT.le(DatabaseClock.now()));

  private static final Condition ANY_IS_DUE =
      ExistsCondition.of(
          DSL.selectOne().from(QUEUE_MESSAGE.forceIndex("queue_message_due")).where(DUE));

  private final Transactions transactions;
  private final JooqPoll closely;
  private final RefusedRows<Long> unpromoted = new RefusedRows<>("the promotion of message");
  private final RefusedRows<Long> unreleased = new RefusedRows<>("the release of message");

  public JooqClaimStore(Transactions transactions) {
    this.transactions = transactions;
    this.closely = new JooqPoll(transactions.dialect());
  }

  @Override
  public PollResult poll(Collection<Topic> topics) {
    if (topics.isEmpty()) {
      return PollResult.NOTHING;
    }
    if (topics.size() <= JooqPoll.MOST_TOPICS) {
      List<Topic> requested = List.copyOf(topics);
      Map<Topic, List<Candidate>> found =
          transactions.readOnConnection(connection -> closely.deepPoll(connection, requested));
      return new PollResult(found.keySet(), found, false);
    }
    Set<Topic> available = new HashSet<>();
    transactions.ask(available(topics, available));
    return new PollResult(available, false);
  }

  @Override
  public PollResult poll(Collection<Topic> topics, List<PiggybackQuery> aside) {
    Set<Topic> available = new HashSet<>();
    AtomicBoolean due = new AtomicBoolean();
    List<PiggybackQuery> questions = new ArrayList<>(available(topics, available));
    questions.add(PiggybackQuery.whether(ANY_IS_DUE, due::set));
    questions.addAll(aside);
    transactions.ask(questions);
    return new PollResult(available, due.get());
  }

  private static List<PiggybackQuery> available(Collection<Topic> topics, Set<Topic> found) {
    return topics.stream()
        .map(
            topic ->
                PiggybackQuery.whether(
                    hasAvailable(topic),
                    is -> {
                      if (is) {
                        found.add(topic);
                      }
                    }))
        .toList();
  }

  private static Condition hasAvailable(Topic topic) {
    return ExistsCondition.of(
        DSL.selectOne().from(JooqMessages.BY_CLAIM_KEY).where(JooqMessages.available(topic)));
  }

  @Override
  public int promote(int limit) {
    // Reads ids first, without locks: an idle worker's poll then needs no transaction.
    Condition others = JooqCandidates.notAmong(unpromoted.delayed());
    List<Long> ids =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_MESSAGE.ID)
                    .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                    .where(DUE)
                    .and(others)
                    .orderBy(QUEUE_MESSAGE.DUE_AT)
                    .limit(limit)
                    .fetch(QUEUE_MESSAGE.ID));
    return RefusedRows.sum(
        unpromoted.change(
            ids,
            id -> id,
            some -> transactions.run(Transition.PROMOTE, tx -> promote(tx.dsl(), some))));
  }

  @Override
  public Optional<QueueException> refusal() {
    return unpromoted.refusal().or(unreleased::refusal);
  }

  private static int promote(DSLContext dsl, List<Long> ids) {
    List<Long> locked =
        dsl.select(QUEUE_MESSAGE.ID)
            .from(JooqMessages.BY_PRIMARY_KEY)
            .where(JooqMessages.byIds(ids.stream()))
            .and(DUE)
            .forUpdate()
            .skipLocked()
            .fetch(QUEUE_MESSAGE.ID);
    if (locked.isEmpty()) {
      return 0;
    }
    return dsl.update(JooqMessages.BY_PRIMARY_KEY)
        .set(QUEUE_MESSAGE.STATE, ReleasedState.of(QUEUE_MESSAGE.ORDERING_KEY))
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
        .where(JooqMessages.byIds(locked.stream()))
        .execute();
  }

  @Override
  public void start(Claim claim) {
    transactions.run(
        Transition.START,
        tx -> {
          int rows =
              tx.dsl()
                  .update(JooqMessages.BY_PRIMARY_KEY)
                  .set(QUEUE_MESSAGE.HANDLER_STARTED, (byte) 1)
                  .where(JooqMessages.held(claim))
                  .execute();
          if (rows == 0) {
            throw new ClaimLostException(claim, "start");
          }
          return rows;
        });
  }

  @Override
  public Claim load(Claim claim) {
    if (claim.body().loaded()) {
      return claim;
    }
    Record2<byte[], String> row =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_MESSAGE.PAYLOAD, QUEUE_MESSAGE.HEADERS)
                    .from(QUEUE_MESSAGE)
                    .where(JooqMessages.held(claim))
                    .fetchOne());
    if (row == null) {
      throw new ClaimLostException(claim, "payload was read");
    }
    Body body = claim.body();
    return claim.withBody(
        new Body(true, row.value1(), row.value2(), body.payloadBytes(), body.headersBytes()));
  }

  @Override
  public int release(Collection<Claim> claims) {
    return IndependentParts.sum(
        Claim.alike(claims),
        alike ->
            release(
                Transition.RELEASE_UNSTARTED,
                alike.get(0).lockId(),
                alike.stream().map(ClaimKey::of).toList()));
  }

  /** The claims of {@code alike} have the same number. */
  private int release(Transition transition, LockId lockId, List<ClaimKey> alike) {
    return RefusedRows.sum(
        unreleased.change(
            alike,
            claim -> claim.id().value(),
            some -> transactions.run(transition, tx -> release(tx.dsl(), lockId, some))));
  }

  @Override
  public int reconcile(LockId lockId, Set<ClaimKey> known) {
    Set<Long> delayed = unreleased.delayed();
    Map<Integer, List<ClaimKey>> unknown =
        held(lockId).stream()
            .filter(key -> !known.contains(key) && !delayed.contains(key.id().value()))
            .collect(Collectors.groupingBy(ClaimKey::number));
    return IndependentParts.sum(
        unknown.values(), alike -> release(Transition.RECONCILE, lockId, alike));
  }

  private List<ClaimKey> held(LockId lockId) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.CLAIM_NUMBER)
                .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                .where(QUEUE_MESSAGE.STATE.eq(MessageState.CLAIMED))
                .and(QUEUE_MESSAGE.LOCK_ID.eq(lockId.value()))
                .fetch(row -> new ClaimKey(new io.rowqueue.MessageId(row.value1()), row.value2())));
  }

  private static int release(DSLContext dsl, LockId lockId, List<ClaimKey> alike) {
    return dsl.update(JooqMessages.BY_PRIMARY_KEY)
        .set(
            QUEUE_MESSAGE.STATE,
            DSL.when(JooqMessages.IS_LATER, DSL.inline(MessageState.SCHEDULED))
                .otherwise(DSL.inline(MessageState.AVAILABLE)))
        .set(QUEUE_MESSAGE.LOCK_ID, "")
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
        .where(JooqMessages.byIds(alike.stream().map(claim -> claim.id().value())))
        .and(QUEUE_MESSAGE.LOCK_ID.eq(lockId.value()))
        .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(alike.get(0).number()))
        .execute();
  }
}
