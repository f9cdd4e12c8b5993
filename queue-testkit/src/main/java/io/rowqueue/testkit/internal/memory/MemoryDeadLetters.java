package io.rowqueue.testkit.internal.memory;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.FailedAttempt;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The dead letters. */
final class MemoryDeadLetters implements DeadLetters {

  private final Memory memory;

  MemoryDeadLetters(Memory memory) {
    this.memory = memory;
  }

  @Override
  public List<DeadLetter> list(Topic topic, int limit) {
    return list(new DeadLetterFilter(topic, null, null, null), 0, limit);
  }

  @Override
  public List<DeadLetter> list(DeadLetterFilter filter, long after, int limit) {
    synchronized (memory) {
      return memory.dead.tailMap(after, false).values().stream()
          .map(MemoryDead::letter)
          .filter(letter -> matches(letter, filter))
          .limit(limit)
          .toList();
    }
  }

  @Override
  public long count(DeadLetterFilter filter) {
    return list(filter, 0, Integer.MAX_VALUE).size();
  }

  @Override
  public List<DeadLetter> findAll(Collection<MessageId> ids) {
    return ids.stream().distinct().sorted().map(this::find).flatMap(Optional::stream).toList();
  }

  private static boolean matches(DeadLetter letter, DeadLetterFilter filter) {
    Instant since = filter.since();
    Instant until = filter.until();
    return (filter.topic() == null || letter.topic().equals(filter.topic()))
        && (filter.reason() == null || letter.reason() == filter.reason())
        && (since == null || !letter.deadAt().isBefore(since))
        && (until == null || letter.deadAt().isBefore(until));
  }

  @Override
  public Optional<DeadLetter> find(MessageId id) {
    synchronized (memory) {
      return Optional.ofNullable(memory.dead.get(id.value())).map(MemoryDead::letter);
    }
  }

  @Override
  public List<FailedAttempt> attempts(MessageId id) {
    synchronized (memory) {
      MemoryDead dead = memory.dead.get(id.value());
      return dead == null ? List.of() : List.copyOf(dead.row().failures);
    }
  }

  @Override
  public boolean redrive(MessageId id) {
    return redriveAll(List.of(id)) == 1;
  }

  @Override
  public int redriveAll(Collection<MessageId> ids) {
    synchronized (memory) {
      int count = 0;
      for (MessageId id : ids) {
        MemoryDead dead = memory.dead.remove(id.value());
        if (dead != null) {
          redrive(dead.row());
          count++;
        }
      }
      return count;
    }
  }

  private void redrive(MemoryRow gone) {
    MemoryRow row =
        new MemoryRow(
            gone.id,
            memory.rules.redriven(gone.topic),
            gone.orderingKey,
            gone.createdAt,
            new MemoryRow.Content(memory.rules.redriven(gone.payload), gone.headers));
    row.state = MemoryClaims.back(row);
    row.priority = gone.priority;
    row.claims = memory.rules.claimNumberWhenRedriven(gone.claims);
    row.attempts = memory.rules.attemptsWhenRedriven(gone.attempts + 1);
    row.dueAt = memory.now();
    row.updatedAt = memory.now();
    row.isFirst = gone.isFirst;
    row.batchId = gone.batchId;
    memory.members.redriven(row);
    memory.rows.put(row.id, row);
  }

  @Override
  public int discardAll(Collection<MessageId> ids) {
    synchronized (memory) {
      return (int) ids.stream().filter(this::discard).count();
    }
  }

  private boolean discard(MessageId id) {
    MemoryDead dead = memory.dead.remove(id.value());
    if (dead != null) {
      memory.members.discarded(dead.row());
    }
    return dead != null;
  }
}
