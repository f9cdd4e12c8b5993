package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.HandlerResult;
import io.rowqueue.internal.result.ResultPruning;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Results of handlers. Guarded by its {@link Memory}. */
final class MemoryResults implements ResultPruning {

  private final Memory memory;
  private final TreeMap<Long, Kept> all = new TreeMap<>();
  private long notifications;

  MemoryResults(Memory memory) {
    this.memory = memory;
  }

  /**
   * The result of an acked message.
   *
   * @param until when it expires
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Kept(Topic topic, @Nullable String headers, byte @Nullable [] content, Instant until) {}

  /** Called when the message of {@code claim} is acked. */
  void acked(Claim claim) {
    HandlerResult result = claim.result();
    if (result != null) {
      Instant until = memory.now().plus(result.keepFor());
      all.put(
          claim.id().value(),
          new Kept(claim.topic(), result.headers(), memory.rules.kept(result.content()), until));
      notifications++;
      memory.notifyAll();
    }
  }

  /** Returns the result of message {@code id}; null if there is none. */
  @Nullable Kept of(long id) {
    return all.get(id);
  }

  /** Waits for another result, at most {@code longest}; returns whether there was one. */
  boolean sleep(Duration longest) {
    synchronized (memory) {
      long before = notifications;
      long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
      long left = TimeUnit.NANOSECONDS.convert(longest);
      try {
        while (notifications == before && left > 0) {
          TimeUnit.NANOSECONDS.timedWait(memory, left);
          left = deadline - System.nanoTime();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return notifications > before;
    }
  }

  @Override
  public int prune(int limit) {
    synchronized (memory) {
      List<Long> over = new ArrayList<>();
      all.forEach(
          (id, kept) -> {
            if (memory.rules.isResultOver(kept.until(), memory.now())) {
              over.add(id);
            }
          });
      List<Long> some = over.subList(0, Math.min(limit, over.size()));
      some.forEach(all::remove);
      return some.size();
    }
  }
}
