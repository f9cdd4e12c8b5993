package io.rowqueue.operate;

import io.rowqueue.MessageId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message and its state. {@link #toString} does not show the body.
 *
 * @param id its id
 * @param place its location
 * @param row its row; null if the place is {@link MessageLocation#UNKNOWN}
 * @param failures its failed attempts so far, in order, while it is available, scheduled or in
 *     flight; {@link io.rowqueue.operate.DeadLetters} has those of a dead letter
 * @param progress its handler's progress; null if it is not in flight, or its handler has not
 *     reported any
 * @param cancelRequest its cancellation request; null if there is none
 */
public record MessageDetails(
    MessageId id,
    MessageLocation place,
    @Nullable Row row,
    List<FailedAttempt> failures,
    @Nullable MessageProgress progress,
    @Nullable CancelRequest cancelRequest) {

  /** With only its row and its failed attempts. */
  public MessageDetails(
      MessageId id, MessageLocation place, @Nullable Row row, List<FailedAttempt> failures) {
    this(id, place, row, failures, null, null);
  }

  /** Copies the failures. */
  public MessageDetails {
    failures = List.copyOf(failures);
  }

  /**
   * The columns that all tables share.
   *
   * @param topic its topic, as stored
   * @param priority lower is claimed first
   * @param counts how often it was claimed, failed and lost
   * @param createdAt when it was enqueued
   * @param dueAt when it is, or was, due
   * @param since when it was claimed, dead-lettered or acknowledged; otherwise when it was last
   *     changed
   * @param worker the lock_id of the worker that has claimed, dead-lettered or acknowledged it;
   *     empty if there is none
   * @param cause why it is a dead letter; null if it is not one
   * @param orderingKey its ordering key; null if it has none
   * @param body payload and headers
   */
  public record Row(
      String topic,
      int priority,
      Counts counts,
      Instant createdAt,
      Instant dueAt,
      Instant since,
      String worker,
      @Nullable Cause cause,
      @Nullable String orderingKey,
      StoredBody body) {}

  /**
   * The counters of a message.
   *
   * @param claims how often it was claimed
   * @param attempts how many attempts failed
   * @param lost how many claims were lost
   */
  public record Counts(int claims, int attempts, int lost) {}

  /**
   * Why it is a dead letter.
   *
   * @param reason the reason's label, such as {@code claims-lost}
   * @param detail a text for operators
   */
  public record Cause(String reason, String detail) {}

  /**
   * Payload and headers as they are stored.
   *
   * @param payload the bytes; not to be changed
   * @param headers JSON, or null if it has none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record StoredBody(byte[] payload, @Nullable String headers) {

    /** Its size only: payloads and headers may hold secrets. */
    @Override
    public String toString() {
      return "StoredBody[" + payload.length + " bytes]";
    }
  }
}
