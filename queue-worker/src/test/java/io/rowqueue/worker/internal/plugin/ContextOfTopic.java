package io.rowqueue.worker.internal.plugin;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MemberContext;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** A handler's context that knows its topic and nothing else. */
record ContextOfTopic(Topic topic) implements HandlerContext {

  ContextOfTopic(String topic) {
    this(new Topic(topic));
  }

  @Override
  public MessageId id() {
    return new MessageId(1);
  }

  @Override
  public int attempt() {
    return 1;
  }

  @Override
  public int claimNumber() {
    return 1;
  }

  @Override
  public Map<String, String> headers() {
    return Map.of();
  }

  @Override
  public @Nullable String orderingKey() {
    return null;
  }

  @Override
  public Instant createdAt() {
    return Instant.EPOCH;
  }

  @Override
  public String idempotencyKey() {
    return "key";
  }

  @Override
  public DSLContext transaction() {
    throw new IllegalStateException("no transaction");
  }

  @Override
  public Connection connection() {
    throw new IllegalStateException("no transaction");
  }

  @Override
  public Duration extendTimeout(Duration fromNow) {
    throw new IllegalStateException("no timeout");
  }

  @Override
  public void progress(long done, long total, String note) {}

  @Override
  public void progress(long done, String note) {}

  @Override
  public boolean isCancelRequested() {
    return false;
  }

  @Override
  public boolean isMember() {
    return false;
  }

  @Override
  public MemberContext batch() {
    throw new IllegalStateException("no batch");
  }

  @Override
  public void putHeaderForNextStep(String name, String value) {}
}
