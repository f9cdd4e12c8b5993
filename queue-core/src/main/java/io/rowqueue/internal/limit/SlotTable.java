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
 * The holders of a topic's slots when they were read. Immutable.
 *
 * @param holders the holder's lock_id by slot; {@link #FREE} if the slot is free
 */
public record SlotTable(Map<Integer, String> holders) {

  /** Marks a free slot, also in the table. */
  public static final String FREE = "";

  /** Copies its argument. */
  public SlotTable {
    holders = Map.copyOf(holders);
  }

  /** The free slots below {@code limit}, in order. */
  public List<Integer> free(int limit) {
    return slots(FREE::equals).stream().filter(slot -> slot < limit).toList();
  }

  /** The slots below {@code limit} that do not exist, in order. */
  public List<Integer> missing(int limit) {
    return IntStream.range(0, limit).boxed().filter(slot -> !holders.containsKey(slot)).toList();
  }

  /** The slots that {@code worker} holds, including those above the limit. */
  public Set<Integer> heldBy(LockId worker) {
    return slots(worker.value()::equals);
  }

  /** How many slots each worker other than {@code worker} holds, if any. */
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
