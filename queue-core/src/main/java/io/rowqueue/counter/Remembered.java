package io.rowqueue.counter;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The result of reading a counter's slots: their number, and how much may be taken before the next
 * read without the risk that a slot has too little. That is half of the lowest slot's amount, as if
 * all takes used that slot and the other half were for other processes, minus the takes that the
 * read could not see. Thread-safe.
 *
 * <p>The estimate is wrong if other processes take more than that before it expires. Then a slot
 * may have too little, which costs a read and a lock on all slots; if that happens to several
 * transactions at once, a deadlock is possible.
 */
final class Remembered {

  private static final int SHARES = 2;

  /**
   * This many takes must still fit into the share. Without the margin, 16 writers that drained ten
   * slots of 50 met 4 and 6 deadlocks in 5,000 takes on the two servers; with it, none in 20,000.
   */
  private static final int SPARE_TAKES = 4;

  /** Other processes may have drained the counter since, or changed its slots. */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long polledNanos = System.nanoTime();
  private final int slots;
  private final long smallest;
  private final long largest;
  private final AtomicLong left;

  private Remembered(int slots, long smallest, long largest) {
    this.slots = slots;
    this.smallest = smallest;
    this.largest = largest;
    this.left = new AtomicLong(smallest / SHARES);
  }

  /** After a read of {@code amounts}; at least one. */
  static Remembered of(List<Long> amounts) {
    return new Remembered(amounts.size(), Collections.min(amounts), Collections.max(amounts));
  }

  int slots() {
    return slots;
  }

  /** Whether it is too old to be relied on. */
  boolean isOld() {
    return System.nanoTime() - polledNanos > LONGEST_NANOS;
  }

  /** Whether every slot is certain to have {@code amount}; if so, it counts as taken. */
  boolean allows(long amount) {
    long before = left.getAndUpdate(now -> fits(now, amount) ? now - amount : now);
    return fits(before, amount);
  }

  private static boolean fits(long left, long amount) {
    return (left - amount) / SPARE_TAKES >= amount;
  }

  /**
   * Whether a slot with {@code amount} more would be out of balance, or close to the largest
   * possible sum.
   */
  boolean isMuch(long amount) {
    boolean standsOut = amount >= slots && amount > smallest;
    return standsOut || amount > Long.MAX_VALUE / slots - largest;
  }
}
