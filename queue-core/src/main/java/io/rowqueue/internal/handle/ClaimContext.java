package io.rowqueue.internal.handle;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MemberContext;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.progress.ProgressStore.ProgressReport;
import io.rowqueue.internal.text.Humanize;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** The context of one message while it is handled. */
final class ClaimContext implements HandlerContext {

  private final Handling handling;
  private final Claim claim;
  private final Topic binding;
  private final String queueName;
  private final Map<String, String> headers;
  private final MessageProducer producer;
  private final @Nullable HandlerTransaction guard;
  private @Nullable DSLContext transaction;

  /** A null {@code guard} means that there is no transaction. */
  ClaimContext(
      Invocation call,
      String queueName,
      MessageProducer producer,
      @Nullable HandlerTransaction guard) {
    this.handling = call.handling();
    this.claim = call.claim();
    this.binding = call.handler().binding().topic();
    this.queueName = queueName;
    this.headers = call.headers();
    this.producer = producer;
    this.guard = guard;
  }

  @Override
  public MessageId id() {
    return claim.id();
  }

  @Override
  public Topic topic() {
    return claim.topic();
  }

  @Override
  public Topic binding() {
    return binding;
  }

  @Override
  public int attempt() {
    return claim.attempts() + 1;
  }

  @Override
  public int claimNumber() {
    return claim.number();
  }

  @Override
  public @Nullable String orderingKey() {
    return claim.orderingKey();
  }

  @Override
  public Map<String, String> headers() {
    return headers;
  }

  @Override
  public Instant createdAt() {
    return claim.createdAt();
  }

  @Override
  public String idempotencyKey() {
    return queueName + "-" + claim.id();
  }

  @Override
  public DSLContext transaction() {
    DSLContext made = transaction;
    if (made == null) {
      // Created on demand: most handlers that call other systems never use it, and it costs as much
      // as their ack.
      made = guard().dsl();
      transaction = made;
    }
    return made;
  }

  @Override
  public Connection connection() {
    return guard().connection();
  }

  @Override
  public Duration extendTimeout(Duration fromNow) {
    if (fromNow.isNegative()) {
      throw new IllegalArgumentException(
          "fromNow must not be negative: " + Humanize.duration(fromNow));
    }
    return handling.extend(fromNow);
  }

  @Override
  public void progress(long done, long total, String note) {
    handling.report(new ProgressReport(ClaimKey.of(claim), done, total, note));
  }

  @Override
  public void progress(long done, String note) {
    handling.report(new ProgressReport(ClaimKey.of(claim), done, null, note));
  }

  @Override
  public boolean isCancelRequested() {
    return handling.cancelRequestedBy(claim) != null;
  }

  @Override
  public boolean isMember() {
    Long batchId = claim.batchId();
    return batchId != null && batchId > 0;
  }

  @Override
  public MemberContext batch() {
    Long batchId = claim.batchId();
    if (batchId == null || batchId < 0) {
      throw new IllegalStateException(
          "message %s of '%s' is not a member of a batch; check isMember() first, or enqueue in the transaction"
              .formatted(claim.id(), claim.topic()));
    }
    return new AddedMembers(batchId, producer, () -> handling.output(claim));
  }

  @Override
  public void putHeaderForNextStep(String name, String value) {
    Long batchId = claim.batchId();
    if (batchId != null && batchId < 0) {
      handling.output(claim).putHeaderForNextStep(name, value);
    }
  }

  private HandlerTransaction guard() {
    if (guard == null) {
      throw notTransactional();
    }
    return guard;
  }

  private IllegalStateException notTransactional() {
    return new IllegalStateException(
        "the handler of '%s' is bound withoutTransaction(), so there is no transaction to write in; bind it without that setting if it writes to this database"
            .formatted(claim.topic()));
  }
}
