package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER;

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
  private final NextInLine next;
  private final List<Arrival> admitted = new ArrayList<>();
  private final List<Head> changed = new ArrayList<>();

  /** Those that had been let go before they came back, as a redriven dead letter does. */
  private final Set<Long> returning = new HashSet<>();

  /** Those that had been, too, and stand in line again: to begin once more counts once more. */
  private final List<JooqHeads.Place> again = new ArrayList<>();

  JooqAdmitting(Transaction transaction, NextInLine next) {
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
  Set<Long> admit(Map<TopicKeyId, List<Arrival>> lines) {
    List<Head> heads = JooqHeads.lockFree(dsl, lines.keySet());
    Set<Long> locked = lock(heads, lines);
    heads.forEach(head -> admit(head, arrivals(lines, head), locked));
    List<Arrival> due = admitted.stream().filter(one -> !one.later()).toList();
    join(due.stream().filter(one -> !returning.contains(one.id())).toList());
    setStates(due, letGo());
    return admitted.stream().map(Arrival::id).collect(Collectors.toSet());
  }

  private static List<Arrival> arrivals(Map<TopicKeyId, List<Arrival>> lines, Head head) {
    return lines.getOrDefault(head.line(), List.of());
  }

  private Set<Long> lock(List<Head> heads, Map<TopicKeyId, List<Arrival>> lines) {
    List<Long> ids =
        heads.stream()
            .flatMap(head -> arrivals(lines, head).stream())
            .map(Arrival::id)
            .sorted()
            .toList();
    if (ids.isEmpty()) {
      return Set.of();
    }
    return dsl.select(QUEUE_MESSAGE.ID)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.in(ids))
        .and(JooqArrivals.ARRIVES)
        .forUpdate()
        .skipLocked()
        .fetchSet(QUEUE_MESSAGE.ID);
  }

  /** Nobody passes by one of his line that somebody else has. */
  private void admit(Head head, List<Arrival> arrivals, Set<Long> locked) {
    List<Arrival> mine = arrivals.stream().takeWhile(one -> locked.contains(one.id())).toList();
    if (mine.isEmpty()) {
      return;
    }
    admitted.addAll(mine);
    List<Long> back =
        mine.stream().filter(one -> !one.later()).map(Arrival::id).filter(head::names).toList();
    // Others may stand below where the next would be looked for.
    Head from = head.from(mine.get(0).id());
    if (head.limits().hasRate()) {
      back.stream()
          .filter(head.others()::contains)
          .forEach(id -> again.add(new JooqHeads.Place(head.line(), id)));
      changed.add(from.without(back));
    } else {
      returning.addAll(back);
      changed.add(from);
    }
  }

  /** Most have their places: their producers gave them. */
  private void join(List<Arrival> arrivals) {
    if (arrivals.isEmpty()) {
      return;
    }
    dsl.insertInto(QUEUE_ORDER, QUEUE_ORDER.ORDER_ID, QUEUE_ORDER.MESSAGE_ID)
        .valuesOfRows(
            arrivals.stream()
                .map(Arrival::place)
                .sorted()
                .map(place -> DSL.row(place.line().bytes(), place.messageId()))
                .toList())
        .onDuplicateKeyUpdate()
        .set(QUEUE_ORDER.MESSAGE_ID, QUEUE_ORDER.MESSAGE_ID)
        .execute();
  }

  private void setStates(List<Arrival> due, Set<Long> available) {
    setState(
        admitted.stream().filter(Arrival::later).map(Arrival::id).toList(), MessageState.SCHEDULED);
    setState(
        due.stream().map(Arrival::id).filter(id -> !available.contains(id)).toList(),
        MessageState.IN_LINE);
  }

  private void setState(List<Long> ids, byte state) {
    if (!ids.isEmpty()) {
      dsl.execute(JooqHeads.setState(ids, state));
    }
  }

  private Set<Long> letGo() {
    JooqRunning.delete(dsl, again);
    List<Freed> freed = new ArrayList<>(JooqHeads.makeAvailable(dsl, returning));
    next.offer(transaction, freed);
    freed.addAll(next.letGo(transaction, changed).freed());
    return freed.stream().map(one -> one.candidate().id()).collect(Collectors.toSet());
  }

  /**
   * Lets the lowest of lines that have stalled go, and forgets places that have no message.
   *
   * @return how many lines went on
   */
  int goOn(List<TopicKeyId> lines) {
    List<Head> heads = JooqHeads.lockFree(dsl, lines);
    JooqHeads.Released released = next.letGo(transaction, heads);
    List<JooqHeads.Place> blocked = released.blocked();
    return heads.size() - blocked.size() + forget(blocked);
  }

  /** Somebody may have deleted the message by hand; who has locked it, still has it. */
  private int forget(Collection<JooqHeads.Place> blocked) {
    if (blocked.isEmpty()) {
      return 0;
    }
    Set<Long> there =
        dsl.select(QUEUE_MESSAGE.ID)
            .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
            .where(
                QUEUE_MESSAGE.ID.in(
                    blocked.stream().map(JooqHeads.Place::messageId).sorted().toList()))
            .and(JooqHeads.WAITS)
            .fetchSet(QUEUE_MESSAGE.ID);
    List<JooqHeads.Place> orphans =
        blocked.stream().filter(place -> !there.contains(place.messageId())).toList();
    JooqHeads.deletePlaces(dsl, orphans);
    return orphans.size();
  }
}
