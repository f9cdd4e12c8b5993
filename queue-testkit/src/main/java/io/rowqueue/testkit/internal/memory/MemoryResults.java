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

/** What handlers gave back. Guarded by its {@link Memory}. */
final class MemoryResults implements ResultPruning {

  private final Memory memory;
  private final TreeMap<Long, Kept> all = new TreeMap<>();
  private long rings;

  MemoryResults(Memory memory) {
    this.memory = memory;
  }

  /**
   * What is kept of an acked message.
   *
   * @param until when its time is over
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Kept(Topic topic, @Nullable String headers, byte @Nullable [] content, Instant until) {}

  /** The message of {@code claim} is acked now. */
  void acked(Claim claim) {
    HandlerResult result = claim.result();
    if (result != null) {
      Instant until = memory.now().plus(result.keepFor());
      all.put(
          claim.id().value(),
          new Kept(claim.topic(), result.headers(), memory.rules.kept(result.content()), until));
      rings++;
      memory.notifyAll();
    }
  }

  /** What is kept of message {@code id}; null if nothing is. */
  @Nullable Kept of(long id) {
    return all.get(id);
  }

  /** Returns when another result is kept, or after {@code longest}; whether one was. */
  boolean sleep(Duration longest) {
    synchronized (memory) {
      long before = rings;
      long deadline = System.nanoTime() + longest.toNanos();
      long left = longest.toNanos();
      try {
        while (rings == before && left > 0) {
          TimeUnit.NANOSECONDS.timedWait(memory, left);
          left = deadline - System.nanoTime();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return rings > before;
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
