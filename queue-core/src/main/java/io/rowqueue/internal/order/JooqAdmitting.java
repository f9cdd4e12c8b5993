package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.message.TopicKeyId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** One transaction of an admission. It waits for nobody: what others have is left. */
final class JooqAdmitting {

  private final Transaction transaction;
  private final DSLContext dsl;
  private final OrderingRelease next;
  private final List<NewOrderedMessage> admitted = new ArrayList<>();
  private final List<GroupState> changed = new ArrayList<>();

  /** Those that had been let go before they came back, as a redriven dead letter does. */
  private final Set<Long> returning = new HashSet<>();

  /** Those that had been, too, and stand in line again: to begin once more counts once more. */
  private final List<JooqGroups.Place> again = new ArrayList<>();

  JooqAdmitting(Transaction transaction, OrderingRelease next) {
    this.transaction = transaction;
    this.dsl = transaction.dsl();
    this.next = next;
  }

  /**
   * Lets what has arrived into its lines, and the lowest of each line without a head go.
   *
   * @param lines by the line, in the order of ids
   * @return which have changed their state
   */
  Set<Long> admit(Map<TopicKeyId, List<NewOrderedMessage>> lines) {
    List<GroupState> heads = JooqGroups.lockFree(dsl, lines.keySet());
    Set<Long> locked = lock(heads, lines);
    heads.forEach(head -> admit(head, arrivals(lines, head), locked));
    List<NewOrderedMessage> due = admitted.stream().filter(one -> !one.later()).toList();
    join(due.stream().filter(one -> !returning.contains(one.id())).toList());
    setStates(due, admitNext());
    return admitted.stream().map(NewOrderedMessage::id).collect(Collectors.toSet());
  }

  private static List<NewOrderedMessage> arrivals(
      Map<TopicKeyId, List<NewOrderedMessage>> lines, GroupState head) {
    return lines.getOrDefault(head.line(), List.of());
  }

  private Set<Long> lock(List<GroupState> heads, Map<TopicKeyId, List<NewOrderedMessage>> lines) {
    List<Long> ids =
        heads.stream()
            .flatMap(head -> arrivals(lines, head).stream())
            .map(NewOrderedMessage::id)
            .sorted()
            .toList();
    if (ids.isEmpty()) {
      return Set.of();
    }
    return dsl.select(QUEUE_MESSAGE.ID)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.in(ids))
        .and(NewOrderedMessages.ARRIVES)
        .forUpdate()
        .skipLocked()
        .fetchSet(QUEUE_MESSAGE.ID);
  }

  /** Nobody passes by one of his line that somebody else has. */
  private void admit(GroupState head, List<NewOrderedMessage> arrivals, Set<Long> locked) {
    List<NewOrderedMessage> mine =
        arrivals.stream().takeWhile(one -> locked.contains(one.id())).toList();
    if (mine.isEmpty()) {
      return;
    }
    admitted.addAll(mine);
    List<Long> back =
        mine.stream()
            .filter(one -> !one.later())
            .map(NewOrderedMessage::id)
            .filter(head::names)
            .toList();
    // Others may stand below where the next would be looked for.
    GroupState from = head.from(mine.get(0).id());
    if (head.limits().hasRate()) {
      back.stream()
          .filter(head.others()::contains)
          .forEach(id -> again.add(new JooqGroups.Place(head.line(), id)));
      changed.add(from.without(back));
    } else {
      returning.addAll(back);
      changed.add(from);
    }
  }

  /** Most have their places: their producers gave them. */
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
                .map(place -> DSL.row(place.line().bytes(), place.messageId()))
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

  private Set<Long> admitNext() {
    ConcurrentMessages.delete(dsl, again);
    List<ReleasedMessage> released = new ArrayList<>(JooqGroups.makeAvailable(dsl, returning));
    next.offer(transaction, released);
    released.addAll(next.admitNext(transaction, changed).released());
    return released.stream().map(one -> one.candidate().id()).collect(Collectors.toSet());
  }

  /**
   * Lets the lowest of lines that have stalled go, and forgets places that have no message.
   *
   * @return how many lines went on
   */
  int goOn(List<TopicKeyId> lines) {
    List<GroupState> heads = JooqGroups.lockFree(dsl, lines);
    JooqGroups.Released released = next.admitNext(transaction, heads);
    List<JooqGroups.Place> blocked = released.blocked();
    return heads.size() - blocked.size() + forget(blocked);
  }

  /** Somebody may have deleted the message by hand; who has locked it, still has it. */
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
    JooqGroups.deletePlaces(dsl, orphans);
    return orphans.size();
  }
}
