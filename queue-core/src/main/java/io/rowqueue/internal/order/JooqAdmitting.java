package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.message.TopicKeyId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/**
 * One transaction of an admission. It never waits: rows that other transactions have locked are
 * skipped.
 */
final class JooqAdmitting {

  private final Transaction transaction;
  private final DSLContext dsl;
  private final OrderingRelease next;
  private final Map<Long, ReleasedMessage> locked = new HashMap<>();

  /** Those of the locked messages that their producers made members of their groups. */
  private final Set<Long> members = new HashSet<>();

  private final List<NewOrderedMessage> admitted = new ArrayList<>();
  private final List<GroupState> changed = new ArrayList<>();

  /** Messages that were admitted before they returned, such as redriven dead letters. */
  private final Set<Long> returning = new HashSet<>();

  /**
   * Messages of groups with a rate that were admitted before and wait again: another start counts
   * against the rate.
   */
  private final List<JooqGroups.Place> again = new ArrayList<>();

  JooqAdmitting(Transaction transaction, OrderingRelease next) {
    this.transaction = transaction;
    this.dsl = transaction.dsl();
    this.next = next;
  }

  /**
   * Admits arrived messages to their groups, and makes the lowest message of each free group
   * available.
   *
   * @param groups by group, in the order of ids
   * @return which have changed their state
   */
  Set<Long> admit(Map<TopicKeyId, List<NewOrderedMessage>> groups) throws SQLException {
    List<GroupState> states = JooqGroups.lockFree(dsl, groups.keySet());
    lock(states, groups);
    states.forEach(state -> admit(state, arrivals(groups, state)));
    List<NewOrderedMessage> due = admitted.stream().filter(one -> !one.later()).toList();
    join(
        due.stream()
            .filter(one -> !members.contains(one.id()) && !returning.contains(one.id()))
            .toList());
    setStates(due, admitNext());
    return admitted.stream().map(NewOrderedMessage::id).collect(Collectors.toSet());
  }

  private static List<NewOrderedMessage> arrivals(
      Map<TopicKeyId, List<NewOrderedMessage>> groups, GroupState state) {
    return groups.getOrDefault(state.group(), List.of());
  }

  /** Under the locks of the groups, so that no other transaction changes their members. */
  private void lock(List<GroupState> states, Map<TopicKeyId, List<NewOrderedMessage>> groups) {
    List<Long> ids =
        states.stream()
            .flatMap(state -> arrivals(groups, state).stream())
            .map(NewOrderedMessage::id)
            .sorted()
            .toList();
    if (!ids.isEmpty()) {
      dsl.select(
              QUEUE_MESSAGE.ID,
              QUEUE_MESSAGE.TOPIC,
              QUEUE_MESSAGE.PRIORITY,
              QUEUE_MESSAGE.CLAIM_NUMBER,
              QUEUE_MESSAGE.LOST_CLAIMS,
              NewOrderedMessages.IS_MEMBER)
          .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
          .where(QUEUE_MESSAGE.ID.in(ids))
          .and(NewOrderedMessages.ARRIVES)
          .forUpdate()
          .skipLocked()
          .forEach(
              row -> {
                long id = row.value1();
                locked.put(
                    id,
                    new ReleasedMessage(
                        new Topic(row.value2()),
                        new Candidate(id, row.value3(), row.value4(), row.value5())));
                if (row.value6()) {
                  members.add(id);
                }
              });
    }
  }

  /**
   * Stops at the first message whose row another transaction holds, so that a group never
   * overtakes.
   */
  private void admit(GroupState state, List<NewOrderedMessage> arrivals) {
    List<NewOrderedMessage> mine =
        arrivals.stream().takeWhile(one -> locked.containsKey(one.id())).toList();
    if (mine.isEmpty()) {
      return;
    }
    admitted.addAll(mine);
    List<Long> back =
        mine.stream()
            .filter(one -> !one.later())
            .map(NewOrderedMessage::id)
            .filter(state::names)
            .toList();
    // Lower ids than the group's next scan position may wait now.
    GroupState from = state.from(mine.get(0).id());
    if (state.limits().hasRate()) {
      back.stream()
          .filter(state.others()::contains)
          .forEach(id -> again.add(new JooqGroups.Place(state.group(), id)));
      changed.add(from.without(back));
    } else {
      returning.addAll(back);
      changed.add(from);
    }
  }

  /** Messages that plain SQL inserted, and messages that return. */
  private void join(List<NewOrderedMessage> arrivals) {
    if (arrivals.isEmpty()) {
      return;
    }
    dsl.insertInto(
            QUEUE_ORDERING_MEMBER, QUEUE_ORDERING_MEMBER.GROUP_ID, QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .valuesOfRows(
            arrivals.stream()
                .map(NewOrderedMessage::place)
                .sorted()
                .map(place -> DSL.row(place.group().bytes(), place.messageId()))
                .toList())
        .onDuplicateKeyUpdate()
        .set(QUEUE_ORDERING_MEMBER.MESSAGE_ID, QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .execute();
  }

  private void setStates(List<NewOrderedMessage> due, Set<Long> available) {
    setState(
        admitted.stream().filter(NewOrderedMessage::later).map(NewOrderedMessage::id).toList(),
        MessageState.SCHEDULED);
    setState(
        due.stream().map(NewOrderedMessage::id).filter(id -> !available.contains(id)).toList(),
        MessageState.BLOCKED);
  }

  private void setState(List<Long> ids, byte state) {
    if (!ids.isEmpty()) {
      dsl.execute(JooqGroups.setState(ids, state));
    }
  }

  private Set<Long> admitNext() throws SQLException {
    JooqGroups.leave(dsl, again, JooqGroups.RUNNING);
    List<ReleasedMessage> released =
        new ArrayList<>(returning.stream().sorted().map(locked::get).toList());
    next.makeAvailable(transaction, released);
    released.addAll(next.admitNext(transaction, changed, locked).released());
    return released.stream().map(one -> one.candidate().id()).collect(Collectors.toSet());
  }

  /**
   * Makes the lowest messages of groups that need a release available, and deletes members without
   * a message.
   *
   * @return how many groups have continued
   */
  int goOn(List<TopicKeyId> groups) throws SQLException {
    List<GroupState> states = JooqGroups.lockFree(dsl, groups);
    JooqGroups.Released released = next.admitNext(transaction, states, Map.of());
    List<JooqGroups.Place> blocked = released.blocked();
    return states.size() - blocked.size() + forget(blocked);
  }

  /**
   * The message may have been deleted by hand. If another transaction has locked it, it still
   * exists.
   */
  private int forget(Collection<JooqGroups.Place> blocked) {
    if (blocked.isEmpty()) {
      return 0;
    }
    Set<Long> there =
        dsl.select(QUEUE_MESSAGE.ID)
            .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
            .where(
                QUEUE_MESSAGE.ID.in(
                    blocked.stream().map(JooqGroups.Place::messageId).sorted().toList()))
            .and(JooqGroups.WAITS)
            .fetchSet(QUEUE_MESSAGE.ID);
    List<JooqGroups.Place> orphans =
        blocked.stream().filter(place -> !there.contains(place.messageId())).toList();
    JooqGroups.leave(dsl, orphans, JooqGroups.WAITING);
    return orphans.size();
  }
}
