package io.rowqueue.testkit.internal.memory;

import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.testkit.internal.memory.Memory.MemoryWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Registers workers, and reaps claims of dead ones. The lease is the only liveness signal. */
final class MemoryReaper implements Reaper, WorkerRegistry {

  private final Memory memory;

  MemoryReaper(Memory memory) {
    this.memory = memory;
  }

  @Override
  public void register(WorkerRegistration life, Duration lease) {
    synchronized (memory) {
      MemoryWorker born = new MemoryWorker(true, memory.now().plus(lease), life.topics());
      memory.workers.putIfAbsent(life.lockId().value(), born);
    }
  }

  @Override
  public boolean renew(
      LockId lockId, Duration lease, WorkerAddress address, @Nullable WorkerLoad load) {
    synchronized (memory) {
      MemoryWorker known = memory.workers.get(lockId.value());
      if (known == null || !known.alive()) {
        return false;
      }
      memory.workers.put(
          lockId.value(), new MemoryWorker(true, memory.now().plus(lease), known.topics()));
      return true;
    }
  }

  @Override
  public void deregister(LockId lockId) {
    synchronized (memory) {
      memory.workers.remove(lockId.value());
    }
  }

  @Override
  public Condition isAnyoneGone(Duration soon) {
    return hasSomeoneGone(soon) ? DSL.trueCondition() : DSL.falseCondition();
  }

  @Override
  public boolean hasSomeoneGone(Duration soon) {
    synchronized (memory) {
      Instant then = memory.now().plus(soon);
      return memory.workers.values().stream()
          .anyMatch(worker -> !worker.alive() || worker.leaseUntil().isBefore(then));
    }
  }

  @Override
  public boolean hasOrphans() {
    synchronized (memory) {
      return memory.rows.values().stream()
          .anyMatch(
              row -> row.state == MessageState.CLAIMED && !memory.workers.containsKey(row.lockId));
    }
  }

  @Override
  public Optional<Duration> nextLeaseEnd(Duration soon) {
    synchronized (memory) {
      Instant now = memory.now();
      return memory.workers.values().stream()
          .filter(worker -> worker.alive() && worker.leaseUntil().isBefore(now.plus(soon)))
          .map(worker -> Duration.between(now, worker.leaseUntil()))
          .map(left -> left.isNegative() ? Duration.ZERO : left)
          .min(Duration::compareTo);
    }
  }

  @Override
  public int declareDead() {
    synchronized (memory) {
      int count = 0;
      for (Map.Entry<String, MemoryWorker> worker : memory.workers.entrySet()) {
        MemoryWorker life = worker.getValue();
        if (life.alive() && memory.rules.isLeaseOver(life.leaseUntil(), memory.now())) {
          worker.setValue(new MemoryWorker(false, life.leaseUntil(), life.topics()));
          count++;
        }
      }
      return count;
    }
  }

  /** There are no locks in memory. */
  @Override
  public Set<Unlocked> unlocked() {
    return Set.of();
  }

  @Override
  public boolean declareDead(Unlocked worker) {
    return false;
  }

  @Override
  public Reaped reap(int limit, int maxLostClaims) {
    synchronized (memory) {
      List<MemoryRow> orphans =
          memory.rows.values().stream().filter(this::isOrphan).limit(limit).toList();
      int quarantined = 0;
      for (MemoryRow row : orphans) {
        int lost = memory.rules.lostAfterDeath(row);
        if (lost >= maxLostClaims) {
          quarantine(row, lost);
          quarantined++;
        } else {
          row.lost = lost;
          memory.release(row, MessageState.AVAILABLE);
        }
      }
      return new Reaped(orphans.size() - quarantined, quarantined);
    }
  }

  /** Does not wait for rows that an open transaction has deleted. */
  private boolean isOrphan(MemoryRow row) {
    MemoryWorker holder = memory.workers.get(row.lockId);
    return row.state == MessageState.CLAIMED
        && row.deletedBy == null
        && (holder == null || !holder.alive());
  }

  private void quarantine(MemoryRow row, int lost) {
    String detail =
        "%d claims died with their workers, the last one with %s; find out what ends the process"
            .formatted(lost, row.lockId);
    MemoryDead.Cause cause =
        new MemoryDead.Cause(DeadLetterReason.CLAIMS_LOST, detail, row.lockId, row.attempts, lost);
    memory.deadLetter(row, cause);
  }

  @Override
  public int removeDead() {
    synchronized (memory) {
      int before = memory.workers.size();
      memory
          .workers
          .entrySet()
          .removeIf(worker -> !worker.getValue().alive() && holdsNothing(worker.getKey()));
      return before - memory.workers.size();
    }
  }

  private boolean holdsNothing(String lockId) {
    return memory.rows.values().stream()
        .noneMatch(row -> row.state == MessageState.CLAIMED && row.lockId.equals(lockId));
  }
}
