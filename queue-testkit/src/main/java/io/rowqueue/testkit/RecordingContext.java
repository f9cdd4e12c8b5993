package io.rowqueue.testkit;

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

/** The pipeline's context, with recorded calls. */
record RecordingContext(HandlerContext real, Recording recording) implements HandlerContext {

  @Override
  public MessageId id() {
    return real.id();
  }

  @Override
  public Topic topic() {
    return real.topic();
  }

  @Override
  public Topic binding() {
    return real.binding();
  }

  @Override
  public int attempt() {
    return real.attempt();
  }

  @Override
  public int claimNumber() {
    return real.claimNumber();
  }

  @Override
  public Map<String, String> headers() {
    return real.headers();
  }

  @Override
  public @Nullable String orderingKey() {
    return real.orderingKey();
  }

  @Override
  public Instant createdAt() {
    return real.createdAt();
  }

  @Override
  public String idempotencyKey() {
    return real.idempotencyKey();
  }

  @Override
  public DSLContext transaction() {
    return real.transaction();
  }

  @Override
  public Connection connection() {
    return real.connection();
  }

  @Override
  public Duration extendTimeout(Duration fromNow) {
    recording.extended(fromNow);
    return real.extendTimeout(fromNow);
  }

  @Override
  public void progress(long done, long total, String note) {
    real.progress(done, total, note);
    recording.reported(done, total, note);
  }

  @Override
  public void progress(long done, String note) {
    real.progress(done, note);
    recording.reported(done, null, note);
  }

  @Override
  public boolean isCancelRequested() {
    recording.lookedForCancel();
    return real.isCancelRequested();
  }

  @Override
  public boolean isMember() {
    return real.isMember();
  }

  @Override
  public MemberContext batch() {
    return real.batch();
  }

  @Override
  public void putHeaderForNextStep(String name, String value) {
    real.putHeaderForNextStep(name, value);
  }
}
