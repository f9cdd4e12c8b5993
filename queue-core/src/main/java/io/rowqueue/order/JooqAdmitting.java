package io.rowqueue.order;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.table.Tables.QUEUE_ORDER;

import io.rowqueue.claim.MessageState;
import io.rowqueue.database.Transaction;
import io.rowqueue.message.TopicKeyId;
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
  private final List<Head> free = new ArrayList<>();

  /** Those that had been heads before they came back, as a redriven dead letter does. */
  private final Set<Long> returning = new HashSet<>();

  /** Those that keep the one that they have. */
  private final List<Head> busy = new ArrayList<>();

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
    Long itself = head.messageId();
    if (itself == null) {
      free.add(head.freed(mine.get(0).id()));
      return;
    }
    if (mine.stream().anyMatch(one -> one.id() == itself && !one.later())) {
      returning.add(itself);
    }
    // Others may stand below where the next would be looked for.
    busy.add(head.withMessage(itself, Math.min(head.nextFrom(), mine.get(0).id())));
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
    if (!busy.isEmpty()) {
      JooqHeads.write(dsl, busy, List.of());
    }
    List<Freed> freed = new ArrayList<>(JooqHeads.makeAvailable(dsl, returning));
    freed.addAll(JooqHeads.free(dsl, free).freed());
    next.offer(transaction, freed);
    return freed.stream().map(Freed::id).collect(Collectors.toSet());
  }

  /**
   * Lets the lowest of lines that have stalled go, and forgets places that have no message.
   *
   * @return how many lines went on
   */
  int goOn(List<TopicKeyId> lines) {
    List<Head> heads = JooqHeads.lockFree(dsl, lines);
    List<Head> named = heads.stream().filter(head -> head.messageId() != null).toList();
    if (!named.isEmpty()) {
      JooqHeads.write(dsl, named, List.of());
    }
    JooqHeads.Released released =
        JooqHeads.free(dsl, heads.stream().filter(head -> head.messageId() == null).toList());
    next.offer(transaction, released.freed());
    return named.size() + released.freed().size() + forget(released.blocked());
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
