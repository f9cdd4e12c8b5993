package io.rowqueue.testkit.internal.memory;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.operate.MessageChange;
import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.operate.CancelRequest;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageDetails.Cause;
import io.rowqueue.operate.MessageDetails.Counts;
import io.rowqueue.operate.MessageDetails.Row;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Single messages, for operators. */
final class MemoryMessages implements Messages {

  private final Memory memory;

  MemoryMessages(Memory memory) {
    this.memory = memory;
  }

  @Override
  public MessageDetails find(MessageId id) {
    synchronized (memory) {
      MemoryRow row = memory.rows.get(id.value());
      if (row != null) {
        Row found = row(row, new Counts(row.claims, row.attempts, row.lost), row.updatedAt, null);
        return new MessageDetails(id, place(row.state), found, row.failures, null, row.request);
      }
      MemoryDead dead = memory.dead.get(id.value());
      if (dead != null) {
        return new MessageDetails(id, MessageLocation.DEAD_LETTER, row(dead), List.of());
      }
      return new MessageDetails(id, MessageLocation.UNKNOWN, null, List.of());
    }
  }

  /** In memory all payloads are in their rows. */
  @Override
  public OptionalLong externalBodyBytes(MessageId id) {
    return OptionalLong.empty();
  }

  private static MessageLocation place(byte state) {
    return switch (state) {
      case MessageState.AVAILABLE -> MessageLocation.AVAILABLE;
      case MessageState.CLAIMED -> MessageLocation.IN_FLIGHT;
      case MessageState.SCHEDULED -> MessageLocation.SCHEDULED;
      default -> MessageLocation.BLOCKED;
    };
  }

  private static Row row(MemoryDead dead) {
    MemoryDead.Cause cause = dead.cause();
    Counts counts = new Counts(dead.row().claims, cause.attempts(), cause.lost());
    return row(dead.row(), counts, dead.deadAt(), cause);
  }

  private static Row row(
      MemoryRow row, Counts counts, Instant since, MemoryDead.@Nullable Cause cause) {
    return new Row(
        row.topic.name(),
        row.priority,
        counts,
        row.createdAt,
        row.dueAt,
        since,
        cause == null ? row.lockId : cause.worker(),
        cause == null ? null : new Cause(cause.reason().label(), cause.detail()),
        row.orderingKey,
        new StoredBody(row.payload, row.headersJson()));
  }

  @Override
  public void cancel(MessageId id) {
    synchronized (memory) {
      memory.cancel(waiting(id, "cancelled"));
    }
  }

  @Override
  public int cancelAll(Collection<MessageId> ids) {
    synchronized (memory) {
      List<MemoryRow> waiting =
          ids.stream()
              .distinct()
              .map(id -> memory.rows.get(id.value()))
              .filter(row -> row != null && memory.rules.mayCancel(row))
              .toList();
      waiting.forEach(memory::cancel);
      return waiting.size();
    }
  }

  @Override
  public CancelOutcome requestCancel(MessageId id, String by) {
    MessageChange.checkRequestedBy(by);
    synchronized (memory) {
      MemoryRow row = memory.rows.get(id.value());
      if (row == null) {
        throw refused(id, "cancelled");
      }
      if (row.waits()) {
        memory.cancel(row);
        return CancelOutcome.CANCELLED;
      }
      if (row.request == null) {
        row.request = new CancelRequest(memory.now(), by);
      }
      return CancelOutcome.REQUESTED;
    }
  }

  @Override
  public void reschedule(MessageId id, Duration delay) {
    MessageChange.checkDelay(id, delay);
    reschedule(id, memory.now().plus(delay));
  }

  @Override
  public void reschedule(MessageId id, Instant instant) {
    Instant dueAt = MessageChange.dueAt(id, instant);
    synchronized (memory) {
      MemoryRow row = waiting(id, "rescheduled");
      if (row.state == MessageState.BLOCKED || row.state == MessageState.ARRIVING) {
        throw refused(id, "rescheduled");
      }
      row.state = dueAt.isAfter(memory.now()) ? MessageState.SCHEDULED : MemoryClaims.back(row);
      row.dueAt = dueAt;
      row.updatedAt = memory.now();
    }
  }

  @Override
  public void prioritize(MessageId id, int priority) {
    MessageChange.checkPriority(id, priority);
    synchronized (memory) {
      MemoryRow row = waiting(id, "given another priority");
      row.priority = priority;
      row.updatedAt = memory.now();
    }
  }

  private MemoryRow waiting(MessageId id, String what) {
    MemoryRow row = memory.rows.get(id.value());
    if (row == null || !memory.rules.mayCancel(row)) {
      throw refused(id, what);
    }
    return row;
  }

  private RefusedException refused(MessageId id, String what) {
    return MessageChange.refused(find(id), what);
  }
}
