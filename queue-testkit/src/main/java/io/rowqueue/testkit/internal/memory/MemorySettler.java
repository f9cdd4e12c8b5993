package io.rowqueue.testkit.internal.memory;

import io.rowqueue.BatchSettings;
import io.rowqueue.MessageId;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.FailedAttempt;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settles claims, if their claim number still matches. */
final class MemorySettler implements Settler {

  private final Memory memory;

  /** Messages added by handlers are already encoded. */
  private final MemoryBatchProducer adding;

  MemorySettler(Memory memory, MemoryBatchProducer adding) {
    this.memory = memory;
    this.adding = adding;
  }

  @Override
  public void ack(Transaction transaction, Claim claim) throws SQLException {
    MemoryTransaction open = MemoryTransaction.of(transaction.connection(), memory);
    synchronized (memory) {
      MemoryRow row = memory.held(claim);
      if (row == null) {
        throw new ClaimLostException(claim, "ack");
      }
      delete(open, row, claim);
    }
  }

  /** Its row is locked from now on, and deleted by the COMMIT. */
  private void delete(MemoryTransaction open, MemoryRow row, Claim claim) {
    add(open, claim);
    row.deletedBy = open;
    open.add(new Deleting(memory, row, claim));
  }

  /** A message that is acked from the COMMIT on. */
  record Deleting(Memory memory, MemoryRow row, Claim claim) implements MemoryTransaction.Change {

    @Override
    public void commit() {
      memory.remove(row);
      memory.results.acked(claim);
      memory.members.acked(row, claim.followUps().carried());
    }

    @Override
    public void undo() {
      row.deletedBy = null;
    }
  }

  /** Members that its handler adds to its batch. */
  private void add(MemoryTransaction open, Claim claim) {
    Long shard = claim.batchId();
    if (shard == null) {
      return;
    }
    for (FollowUps.NewMembers added : claim.followUps().members()) {
      BatchSettings nested = added.nested();
      if (nested == null) {
        List<MessageId> unused = adding.add(open, CounterShard.batch(shard), added.messages());
      } else {
        adding.enqueueWithin(open, shard, nested, added.messages());
      }
    }
  }

  @Override
  public void ackAll(Transaction transaction, Collection<Claim> claims) throws SQLException {
    MemoryTransaction open = MemoryTransaction.of(transaction.connection(), memory);
    synchronized (memory) {
      Map<Claim, MemoryRow> rows = new LinkedHashMap<>();
      for (Claim claim : claims) {
        MemoryRow row = memory.held(claim);
        if (row == null) {
          throw new ClaimLostException(claim, "ack, or another of its batch,");
        }
        rows.put(claim, row);
      }
      rows.forEach((claim, row) -> delete(open, row, claim));
    }
  }

  @Override
  public int ackAll(Collection<Claim> claims) {
    synchronized (memory) {
      MemoryTransaction own = new MemoryTransaction(memory);
      int count = 0;
      for (Claim claim : claims) {
        MemoryRow row = memory.held(claim);
        if (row != null) {
          delete(own, row, claim);
          count++;
        }
      }
      own.commit();
      return count;
    }
  }

  @Override
  public boolean retry(Claim claim, AttemptError error, Duration backoff) {
    return end(
        claim,
        row -> {
          keep(row, claim, error);
          row.attempts = memory.rules.attemptsAfterFailure(row.attempts);
          row.dueAt = memory.rules.dueAfter(memory.now(), backoff);
          waits(row, backoff);
          memory.release(row, waiting(backoff));
        });
  }

  /** If a key may have several running messages, one that waits for its due time admits another. */
  private void waits(MemoryRow row, Duration delay) {
    if (!delay.isZero() && memory.groups.haveCapacity(row.topic)) {
      row.isFirst = false;
    }
  }

  private static byte waiting(Duration delay) {
    return delay.isZero() ? MessageState.AVAILABLE : MessageState.SCHEDULED;
  }

  @Override
  public boolean release(Claim claim, Duration delay) {
    return end(claim, row -> release(row, delay));
  }

  private void release(MemoryRow row, Duration delay) {
    row.attempts = memory.rules.attemptsAfterRelease(row.attempts);
    if (!delay.isZero()) {
      row.dueAt = memory.rules.dueAfter(memory.now(), delay);
      waits(row, delay);
    }
    memory.release(row, waiting(delay));
  }

  @Override
  public int releaseAll(Collection<Claim> claims) {
    return (int) claims.stream().filter(claim -> release(claim, Duration.ZERO)).count();
  }

  @Override
  public boolean cancel(Claim claim) {
    return end(claim, memory::cancel);
  }

  @Override
  public boolean deadLetter(Claim claim, DeadLetterReason reason, AttemptError error) {
    return end(
        claim,
        row -> {
          keep(row, claim, error);
          MemoryDead.Cause cause =
              new MemoryDead.Cause(
                  reason,
                  error.summary(),
                  claim.lockId().value(),
                  claim.attempts() + 1,
                  claim.lost());
          memory.deadLetter(row, cause);
        });
  }

  private void keep(MemoryRow row, Claim claim, AttemptError error) {
    if (memory.rules.keepsFailures()) {
      row.failures.add(
          new FailedAttempt(
              claim.attempts() + 1,
              claim.number(),
              claim.lockId().value(),
              memory.now(),
              error.type(),
              error.message(),
              error.trace()));
    }
  }

  private boolean end(Claim claim, End end) {
    synchronized (memory) {
      @Nullable MemoryRow row = memory.held(claim);
      if (row != null) {
        end.of(row);
      }
      return row != null;
    }
  }

  private interface End {
    void of(MemoryRow row);
  }
}
