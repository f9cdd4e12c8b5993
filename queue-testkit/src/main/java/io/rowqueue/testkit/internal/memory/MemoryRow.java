package io.rowqueue.testkit.internal.memory;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.CancelRequest;
import io.rowqueue.operate.FailedAttempt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message's row, with the columns of {@code queue_message}. Guarded by its {@link Memory}. */
final class MemoryRow {

  final long id;
  final Topic topic;
  final @Nullable String orderingKey;
  final Instant createdAt;
  final List<FailedAttempt> failures = new ArrayList<>();
  byte state = MessageState.AVAILABLE;
  int priority;
  Instant dueAt;
  Instant updatedAt;
  String lockId = "";
  int claims;
  int attempts;
  int lost;
  boolean started;
  Map<String, String> headers;
  byte[] payload;
  @Nullable CancelRequest request;

  /** The shard of its batch, or a negative number for its chain. */
  @Nullable Long batchId;

  /** It blocks its ordering key. */
  boolean isFirst;

  /** The open transaction that has deleted it. */
  @Nullable MemoryTransaction deletedBy;

  MemoryRow(long id, Topic topic, @Nullable String orderingKey, Instant now, Content content) {
    this.id = id;
    this.topic = topic;
    this.orderingKey = orderingKey;
    this.createdAt = now;
    this.updatedAt = now;
    this.dueAt = now;
    this.headers = content.headers();
    this.payload = content.payload();
  }

  /** A message's content. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Content(byte[] payload, Map<String, String> headers) {}

  MessageId messageId() {
    return new MessageId(id);
  }

  boolean hasKeyOf(MemoryRow other) {
    return orderingKey != null && orderingKey.equals(other.orderingKey);
  }

  boolean waits() {
    return MessageState.WAITING.contains(state);
  }

  @Nullable String headersJson() {
    return Headers.toJson(headers);
  }

  Claim claim(Instant now, Topic claimed) {
    String json = headersJson();
    int headersBytes = json == null ? 0 : json.getBytes(StandardCharsets.UTF_8).length;
    boolean inline = payload.length <= Body.INLINE_BYTES && headersBytes <= Body.INLINE_BYTES;
    Body body =
        inline
            ? new Body(true, payload, json, payload.length, headersBytes)
            : new Body(false, new byte[0], null, payload.length, headersBytes);
    return new Claim(
        messageId(),
        claimed,
        new LockId(lockId),
        claims,
        attempts,
        lost,
        dueAt.isAfter(now),
        createdAt,
        Duration.ZERO,
        orderingKey,
        batchId,
        body,
        Claim.Handled.NOT_YET);
  }
}
