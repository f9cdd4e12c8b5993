package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.limit.SlotTable;
import io.rowqueue.internal.limit.TopicSlots;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The holders of topics' slots. */
final class MemorySlots implements TopicSlots {

  private final Memory memory;
  private final Map<Topic, Map<Integer, String>> holders = new HashMap<>();

  MemorySlots(Memory memory) {
    this.memory = memory;
  }

  private Map<Integer, String> of(Topic topic) {
    return holders.computeIfAbsent(topic, any -> new TreeMap<>());
  }

  @Override
  public SlotTable read(Topic topic) {
    synchronized (memory) {
      return new SlotTable(of(topic));
    }
  }

  @Override
  public int make(Topic topic, Collection<Integer> slots) {
    synchronized (memory) {
      int before = of(topic).size();
      slots.forEach(slot -> of(topic).putIfAbsent(slot, SlotTable.FREE));
      return of(topic).size() - before;
    }
  }

  @Override
  public Set<Integer> take(Topic topic, LockId worker, Collection<Integer> slots) {
    synchronized (memory) {
      Set<Integer> taken = new TreeSet<>();
      for (Integer slot : slots) {
        if (SlotTable.FREE.equals(of(topic).get(slot))) {
          of(topic).put(slot, memory.rules.holderOfSlot(worker));
          taken.add(slot);
        }
      }
      return taken;
    }
  }

  @Override
  public int release(Topic topic, LockId worker, Collection<Integer> slots) {
    synchronized (memory) {
      return (int)
          slots.stream()
              .filter(slot -> of(topic).replace(slot, worker.value(), SlotTable.FREE))
              .count();
    }
  }

  @Override
  public void want(Topic topic) {
    synchronized (memory) {
      memory.limits.set(topic, limits -> limits.wantedAt(memory.now()));
    }
  }

  @Override
  public int freeThoseOfTheDead(Topic topic) {
    synchronized (memory) {
      int released = 0;
      for (Map.Entry<Integer, String> slot : of(topic).entrySet()) {
        if (!slot.getValue().equals(SlotTable.FREE) && !lives(slot.getValue())) {
          slot.setValue(SlotTable.FREE);
          released++;
        }
      }
      return released;
    }
  }

  private boolean lives(String worker) {
    Memory.MemoryWorker life = memory.workers.get(worker);
    return life != null && life.alive();
  }
}
