package io.rowqueue.testkit.internal.memory;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.order.Admission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Admits messages with ordering keys: one per key at a time, or up to the topic's limit, in order
 * of their ids. A dead letter blocks its key, unless its topic skips dead letters.
 */
final class MemoryAdmission implements Admission {

  private final Memory memory;

  MemoryAdmission(Memory memory) {
    this.memory = memory;
  }

  @Override
  public List<PiggybackQuery> questions() {
    return List.of();
  }

  @Override
  public void promoted() {}

  @Override
  public int admit() {
    return admitNow();
  }

  @Override
  public Duration wait(Duration longest) {
    return longest;
  }

  /** A changed limit applies at once. */
  @Override
  public int applyLimits() {
    return 0;
  }

  @Override
  public int admitNow() {
    synchronized (memory) {
      int moved = 0;
      for (MemoryRow row : new ArrayList<>(memory.rows.values())) {
        moved += arrive(row) ? 1 : 0;
      }
      for (MemoryRow row : memory.rows.values()) {
        moved += begin(row) ? 1 : 0;
      }
      return moved;
    }
  }

  private boolean arrive(MemoryRow row) {
    if (row.state != MessageState.ARRIVING) {
      return false;
    }
    boolean goes = row.isFirst && !memory.groups.hasRate(row.topic);
    row.state = goes ? MessageState.AVAILABLE : MessageState.BLOCKED;
    row.updatedAt = memory.now();
    return true;
  }

  /**
   * Finds the first message of a key that may be admitted, or one that has regained its position.
   */
  private boolean begin(MemoryRow row) {
    boolean waits = row.state == MessageState.BLOCKED;
    boolean hasPlace =
        waits && (row.isFirst || !memory.rules.holdsGroups() || memory.groups.hasPlace(row));
    if (!hasPlace || !memory.groups.begins(row)) {
      return false;
    }
    row.isFirst = true;
    row.state = MessageState.AVAILABLE;
    row.updatedAt = memory.now();
    return true;
  }
}
