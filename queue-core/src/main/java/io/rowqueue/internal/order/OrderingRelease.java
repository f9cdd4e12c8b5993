package io.rowqueue.internal.order;

import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimCursors;
import io.rowqueue.internal.claim.ReleasedCandidates;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.message.TopicKeyId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes the next message of an ordering group available, in the transaction that ends the current
 * one. Thread-safe.
 */
public final class OrderingRelease {

  private final ClaimCursors claimCursors;
  private final ReleasedCandidates offers;
  private final JooqGroups statements;
  private final RateTimer alarm = new RateTimer();

  /**
   * For servers of {@code dialect}; released messages are passed to {@code offers} or lower {@code
   * claimCursors}.
   */
  public OrderingRelease(
      ServerDialect dialect, ClaimCursors claimCursors, ReleasedCandidates offers) {
    this.statements = new JooqGroups(dialect);
    this.claimCursors = claimCursors;
    this.offers = offers;
  }

  /**
   * Runs after the fence, as the last writes of the transaction: none of {@code ended} is in the
   * queue any more. Messages without an ordering key are skipped.
   */
  public void admitNext(Transaction transaction, Collection<Claim> ended) throws SQLException {
    Map<TopicKeyId, List<Long>> groups = new TreeMap<>();
    for (Claim claim : ended) {
      String key = claim.orderingKey();
      if (key != null) {
        groups
            .computeIfAbsent(TopicKeyId.of(claim.topic().name(), key), group -> new ArrayList<>())
            .add(claim.id().value());
      }
    }
    if (groups.isEmpty()) {
      return;
    }
    List<JooqGroups.Place> concurrent = new ArrayList<>();
    List<GroupState> left = new ArrayList<>();
    for (GroupState state : statements.lock(transaction, groups.keySet())) {
      List<Long> mine =
          groups.getOrDefault(state.group(), List.of()).stream().filter(state::names).toList();
      mine.stream()
          .filter(state.others()::contains)
          .forEach(id -> concurrent.add(new JooqGroups.Place(state.group(), id)));
      if (!mine.isEmpty()) {
        left.add(state.without(mine));
      }
    }
    if (!concurrent.isEmpty()) {
      JooqGroups.leave(transaction.dsl(), concurrent, JooqGroups.RUNNING);
    }
    admitNext(transaction, left, Map.of());
  }

  /**
   * Makes messages of locked groups available as far as they have capacity.
   *
   * @param locked waiting messages whose rows are locked already
   */
  JooqGroups.Released admitNext(
      Transaction transaction, List<GroupState> states, Map<Long, ReleasedMessage> locked)
      throws SQLException {
    JooqGroups.Released released = statements.admitNext(transaction, states, locked);
    offer(transaction, released.released());
    released.groups().stream()
        .filter(group -> group.firstBlocked() != null && !group.isBlocked())
        .forEach(group -> alarm.set(group.nextAt(), group.now()));
    return released;
  }

  /** Makes waiting messages, whose rows are locked, available. */
  void makeAvailable(Transaction transaction, List<ReleasedMessage> locked) throws SQLException {
    statements.makeAvailable(
        transaction, locked.stream().map(one -> one.candidate().id()).toList());
    offer(transaction, locked);
  }

  /**
   * The message of {@code claim} is delayed. If its group allows several messages at once, it gives
   * up its place to another and is admitted again when it is due.
   */
  public void onDelayed(Transaction transaction, Claim claim) throws SQLException {
    if (claim.orderingKey() != null
        && JooqLimits.hasCapacity(transaction.dsl(), claim.topic().name())) {
      admitNext(transaction, List.of(claim));
    }
  }

  /** The timer of groups that this process has released and that continue at a rate. */
  RateTimer alarm() {
    return alarm;
  }

  /** They have low ids, which cursors have passed, and should be claimed at once. */
  private void offer(Transaction transaction, List<ReleasedMessage> released) {
    for (ReleasedMessage one : released) {
      transaction.afterCommit().onReleased(one.topic(), () -> offer(one));
    }
  }

  private void offer(ReleasedMessage released) {
    Candidate candidate = released.candidate();
    claimCursors.onInserted(released.topic(), candidate.priority(), candidate.id());
    offers.add(released.topic(), candidate);
  }
}
