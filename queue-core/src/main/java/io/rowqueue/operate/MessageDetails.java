package io.rowqueue.operate;

import io.rowqueue.MessageId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one message. The arrays and texts of a body are not shown by {@link #toString}.
 *
 * @param id its id
 * @param place where it is
 * @param row what its row says; null if the place is {@link MessageLocation#UNKNOWN}
 * @param failures its failed attempts so far, the first first, while it is available, scheduled or
 *     in flight; {@link io.rowqueue.operate.DeadLetters} has those of a dead letter
 * @param progress how far its handling is; null if it is not in flight, or its handler has not said
 * @param cancelRequest that it be cancelled; null if nobody wants that, or it is in no queue
 */
public record MessageDetails(
    MessageId id,
    MessageLocation place,
    @Nullable Row row,
    List<FailedAttempt> failures,
    @Nullable MessageProgress progress,
    @Nullable CancelRequest cancelRequest) {

  /** Of which nothing is known but its row and its failures. */
  public MessageDetails(
      MessageId id, MessageLocation place, @Nullable Row row, List<FailedAttempt> failures) {
    this(id, place, row, failures, null, null);
  }

  /** Copies the failures. */
  public MessageDetails {
    failures = List.copyOf(failures);
  }

  /**
   * The columns that all places share.
   *
   * @param topic where it was enqueued, as it stands in the table
   * @param priority lower is sooner
   * @param counts how often it was claimed, failed and lost
   * @param createdAt when it was enqueued
   * @param dueAt when it is, or was, due
   * @param since when it came to its place: claimed, set aside or acknowledged; otherwise when it
   *     was changed last
   * @param worker the lock_id of the worker that has it in flight, set it aside or acknowledged it;
   *     empty if none has
   * @param verdict why it is a dead letter; null if it is none
   * @param orderingKey what it stays in line with; null if it has none
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
      @Nullable Verdict verdict,
      @Nullable String orderingKey,
      StoredBody body) {}

  /**
   * What is counted.
   *
   * @param claims how often it was claimed
   * @param attempts how many handlings failed
   * @param lost how many claims died with their workers
   */
  public record Counts(int claims, int attempts, int lost) {}

  /**
   * Why it is a dead letter.
   *
   * @param reason the reason's label, such as {@code claims-lost}
   * @param detail what people should read
   */
  public record Verdict(String reason, String detail) {}

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
