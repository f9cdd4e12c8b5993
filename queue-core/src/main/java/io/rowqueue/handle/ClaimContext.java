package io.rowqueue.handle;

import io.rowqueue.claim.Claim;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import java.sql.Connection;
import java.time.Instant;
import java.util.Map;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** The context of one handling. */
final class ClaimContext implements HandlerContext {

  private final Claim claim;
  private final String queueName;
  private final Map<String, String> headers;
  private final @Nullable Connection connection;
  private final @Nullable DSLContext transaction;

  ClaimContext(
      Claim claim,
      String queueName,
      Map<String, String> headers,
      @Nullable Connection connection,
      @Nullable DSLContext transaction) {
    this.claim = claim;
    this.queueName = queueName;
    this.headers = headers;
    this.connection = connection;
    this.transaction = transaction;
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
  public int attempt() {
    return claim.attempts() + 1;
  }

  @Override
  public int claimNumber() {
    return claim.number();
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
    if (transaction == null) {
      throw notTransactional();
    }
    return transaction;
  }

  @Override
  public Connection connection() {
    if (connection == null) {
      throw notTransactional();
    }
    return connection;
  }

  private IllegalStateException notTransactional() {
    return new IllegalStateException(
        "the handler of '%s' is bound withoutTransaction(), so there is no transaction to write in; bind it without that setting if it writes to this database"
            .formatted(claim.topic()));
  }
}
