package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.claim.PollResult;
import io.rowqueue.internal.database.PiggybackQuery;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Promotes and reconciles claims. */
final class MemoryClaims implements ClaimStore {

  private final Memory memory;

  MemoryClaims(Memory memory) {
    this.memory = memory;
  }

  @Override
  public PollResult poll(Collection<Topic> topics) {
    synchronized (memory) {
      Map<Topic, List<Candidate>> found = new HashMap<>();
      for (Topic topic : topics) {
        List<Candidate> candidates = candidates(topic);
        if (!candidates.isEmpty()) {
          found.put(topic, candidates);
        }
      }
      return new PollResult(found.keySet(), found, false);
    }
  }

  private List<Candidate> candidates(Topic topic) {
    return memory.rows.values().stream()
        .filter(row -> row.topic.equals(topic) && memory.rules.isClaimable(row))
        .sorted(memory.rules.order())
        .limit(PollResult.MOST_CANDIDATES)
        .map(row -> new Candidate(row.id, (byte) row.priority, row.claims, row.lost))
        .toList();
  }

  /**
   * Also returns whether a message is due.
   *
   * @throws UnsupportedOperationException if there are additional queries, which are SQL
   */
  @Override
  public PollResult poll(Collection<Topic> topics, List<PiggybackQuery> aside) {
    if (!aside.isEmpty()) {
      throw new UnsupportedOperationException("a queue in memory runs no SQL queries");
    }
    synchronized (memory) {
      return new PollResult(poll(topics).available(), !due().isEmpty());
    }
  }

  private List<MemoryRow> due() {
    Instant now = memory.now();
    return memory.rows.values().stream()
        .filter(row -> row.state == MessageState.SCHEDULED && memory.rules.isDue(row.dueAt, now))
        .sorted(Comparator.comparing(row -> row.dueAt))
        .toList();
  }

  @Override
  public int promote(int limit) {
    synchronized (memory) {
      List<MemoryRow> some = due().stream().limit(limit).toList();
      for (MemoryRow row : some) {
        row.state = back(row);
        row.updatedAt = memory.now();
      }
      return some.size();
    }
  }

  /** Returns the state of a waiting message that is due. */
  static byte back(MemoryRow row) {
    return row.orderingKey == null ? MessageState.AVAILABLE : MessageState.ARRIVING;
  }

  @Override
  public void start(Claim claim) {
    synchronized (memory) {
      MemoryRow row = memory.held(claim);
      if (row == null) {
        throw new ClaimLostException(claim, "start");
      }
      row.started = true;
    }
  }

  @Override
  public Claim load(Claim claim) {
    if (claim.body().loaded()) {
      return claim;
    }
    synchronized (memory) {
      MemoryRow row = memory.held(claim);
      if (row == null) {
        throw new ClaimLostException(claim, "payload was read");
      }
      Body body = claim.body();
      return claim.withBody(
          new Body(true, row.payload, row.headersJson(), body.payloadBytes(), body.headersBytes()));
    }
  }

  @Override
  public int release(Collection<Claim> claims) {
    synchronized (memory) {
      int count = 0;
      for (Claim claim : claims) {
        MemoryRow row = memory.held(claim);
        if (row != null) {
          release(row);
          count++;
        }
      }
      return count;
    }
  }

  private void release(MemoryRow row) {
    boolean later = row.dueAt.isAfter(memory.now());
    memory.release(row, later ? MessageState.SCHEDULED : MessageState.AVAILABLE);
  }

  @Override
  public int reconcile(LockId lockId, Set<ClaimKey> known) {
    synchronized (memory) {
      List<MemoryRow> unknown =
          memory.rows.values().stream()
              .filter(row -> row.state == MessageState.CLAIMED)
              .filter(row -> row.lockId.equals(lockId.value()))
              .filter(row -> !known.contains(new ClaimKey(row.messageId(), row.claims)))
              .toList();
      unknown.forEach(this::release);
      return unknown.size();
    }
  }
}
