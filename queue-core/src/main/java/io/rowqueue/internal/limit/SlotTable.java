package io.rowqueue.internal.limit;

import io.rowqueue.internal.claim.LockId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Who held which slot of a topic when it was looked at. Immutable.
 *
 * @param holders the lock_id of whoever holds it, by slot; {@link #FREE} if nobody does
 */
public record SlotTable(Map<Integer, String> holders) {

  /** Stands for nobody, in the table too. */
  public static final String FREE = "";

  /** Copies what it is given. */
  public SlotTable {
    holders = Map.copyOf(holders);
  }

  /** The slots below {@code limit} that nobody holds, in order. */
  public List<Integer> free(int limit) {
    return slots(FREE::equals).stream().filter(slot -> slot < limit).toList();
  }

  /** The slots below {@code limit} that there are not, in order. */
  public List<Integer> missing(int limit) {
    return IntStream.range(0, limit).boxed().filter(slot -> !holders.containsKey(slot)).toList();
  }

  /** What {@code worker} holds, wherever the limit is. */
  public Set<Integer> heldBy(LockId worker) {
    return slots(worker.value()::equals);
  }

  /** How many slots each other worker than {@code worker} holds, of those that hold any. */
  public Collection<Long> heldByOthers(LockId worker) {
    return holders.values().stream()
        .filter(holder -> !holder.equals(FREE) && !holder.equals(worker.value()))
        .collect(Collectors.groupingBy(holder -> holder, Collectors.counting()))
        .values();
  }

  private Set<Integer> slots(Predicate<String> whose) {
    return holders.entrySet().stream()
        .filter(slot -> whose.test(slot.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
