package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Deduplication;
import io.rowqueue.Topic;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages that hold deduplication keys. Guarded by its {@link Memory}. */
final class MemoryKeys {

  private final Memory memory;
  private final MemoryTransaction open;

  /** The keys as seen by {@code open}. */
  MemoryKeys(Memory memory, MemoryTransaction open) {
    this.memory = memory;
    this.open = open;
  }

  /** A key of a topic. */
  record Key(Topic topic, String key) {}

  /**
   * The last message enqueued with a key.
   *
   * @param until the end of its window; null if it has none
   */
  record Held(MemoryRow row, @Nullable Instant until) {}

  /** From its COMMIT on {@code held} holds {@code key}. */
  record ClaimQuery(Memory memory, Key key, Held held) implements MemoryTransaction.Change {

    @Override
    public void commit() {
      memory.keys.put(key, held);
    }
  }

  void take(Key key, MemoryRow row, Deduplication rule) {
    Instant until = rule.window() == null ? null : memory.now().plus(rule.window());
    open.add(new ClaimQuery(memory, key, new Held(row, until)));
  }

  /** Returns the message that holds {@code key} under {@code rule}; null if there is none. */
  @Nullable MemoryRow holder(Key key, Deduplication rule) {
    Held held = last(key);
    if (held == null || !memory.rules.heedsKeys()) {
      return null;
    }
    MemoryRow row = held.row();
    boolean mine = open.ofKind(MemoryProducer.Insert.class).stream().anyMatch(of(row));
    // A redriven message has a new row with the old id.
    MemoryRow known = mine ? row : memory.rows.get(row.id);
    boolean holds =
        switch (rule.scope()) {
          case WINDOW ->
              held.until() != null && memory.rules.isWindowOpen(held.until(), memory.now());
          case ALIVE -> known != null;
          case WAITING -> known != null && known.waits();
        };
    return !holds ? null : known == null ? row : known;
  }

  private static java.util.function.Predicate<MemoryProducer.Insert> of(MemoryRow row) {
    return insert -> insert.row() == row;
  }

  private @Nullable Held last(Key key) {
    List<ClaimQuery> mine =
        open.ofKind(ClaimQuery.class).stream().filter(taking -> taking.key().equals(key)).toList();
    return mine.isEmpty() ? memory.keys.get(key) : mine.get(mine.size() - 1).held();
  }
}
