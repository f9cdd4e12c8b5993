package io.rowqueue.testkit.memory;

import io.rowqueue.claim.MessageState;
import io.rowqueue.database.Question;
import io.rowqueue.order.Admission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines of ordering keys: one message of each goes at a time, in the order of their ids. A dead
 * letter holds its line, unless its topic steps over it.
 */
final class MemoryAdmission implements Admission {

  private final Memory memory;

  MemoryAdmission(Memory memory) {
    this.memory = memory;
  }

  @Override
  public List<Question> questions() {
    return List.of();
  }

  @Override
  public int admit() {
    return admitNow();
  }

  @Override
  public Duration wait(Duration longest) {
    return longest;
  }

  /** Topics have no limits here. */
  @Override
  public int heedLimits() {
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
    row.state = row.head ? MessageState.AVAILABLE : MessageState.IN_LINE;
    row.updatedAt = memory.now();
    return true;
  }

  /** The lowest of a line that waits for nobody. */
  private boolean begin(MemoryRow row) {
    if (row.state != MessageState.IN_LINE || (memory.rules.holdsLines() && isHeld(row))) {
      return false;
    }
    row.head = true;
    row.state = MessageState.AVAILABLE;
    row.updatedAt = memory.now();
    return true;
  }

  private boolean isHeld(MemoryRow row) {
    return memory.rows.values().stream().anyMatch(other -> other.head && other.isOfLine(row))
        || memory.dead.values().stream()
            .anyMatch(dead -> dead.row().head && dead.row().isOfLine(row));
  }
}
