package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MemberContext;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.progress.ProgressStore.ProgressReport;
import io.rowqueue.internal.text.Humanize;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A context without a worker, for tests that call a handler directly. By default it is the first
 * attempt at message 1 of {@link MessageFixtures#TOPIC}, without headers and without a transaction.
 * Each {@code with} method returns a copy that shares the recorded calls.
 *
 * <pre>{@code
 * handler.handle(new SendEmail("ada@example.org"), FakeContext.aContext().withAttempt(2));
 * }</pre>
 *
 * <p>Unlike a worker's context, it does not reject commits on its connection, stays usable after
 * the handler returns, and deletes no message.
 */
public final class FakeContext implements HandlerContext {

  private final MessageId id;
  private final Topic topic;
  private final int attempt;
  private final int claimNumber;
  private final Map<String, String> headers;
  private final Instant createdAt;
  private final @Nullable Connection connection;
  private final @Nullable String orderingKey;
  private final CancelRequests requests;
  private final Map<String, String> carried = new ConcurrentHashMap<>();

  private FakeContext(
      MessageId id,
      Topic topic,
      int attempt,
      int claimNumber,
      Map<String, String> headers,
      Instant createdAt,
      @Nullable Connection connection,
      @Nullable String orderingKey,
      CancelRequests requests) {
    this.id = id;
    this.topic = topic;
    this.attempt = attempt;
    this.claimNumber = claimNumber;
    this.headers = headers;
    this.createdAt = createdAt;
    this.connection = connection;
    this.orderingKey = orderingKey;
    this.requests = requests;
  }

  /** The first attempt at message 1, enqueued at the beginning of 2026 (UTC). */
  public static FakeContext aContext() {
    return new FakeContext(
        new MessageId(1),
        new Topic(MessageFixtures.TOPIC),
        1,
        1,
        Map.of(),
        Instant.parse("2026-01-01T00:00:00Z"),
        null,
        null,
        new CancelRequests(null, false, new CopyOnWriteArrayList<>(), null));
  }

  /**
   * Sets the message's id.
   *
   * @throws IllegalArgumentException if {@code value} is below 1
   */
  public FakeContext withId(long value) {
    return new FakeContext(
        new MessageId(value),
        topic,
        attempt,
        claimNumber,
        headers,
        createdAt,
        connection,
        orderingKey,
        requests);
  }

  /** Sets the topic. */
  public FakeContext withTopic(String name) {
    return new FakeContext(
        id,
        new Topic(name),
        attempt,
        claimNumber,
        headers,
        createdAt,
        connection,
        orderingKey,
        requests);
  }

  /**
   * Sets the attempt, and raises the claim number to at least that.
   *
   * @param value 1 for the first
   * @throws IllegalArgumentException if {@code value} is below 1
   */
  public FakeContext withAttempt(int value) {
    if (value < 1) {
      throw new IllegalArgumentException("the first attempt is 1, not " + value);
    }
    return new FakeContext(
        id,
        topic,
        value,
        Math.max(claimNumber, value),
        headers,
        createdAt,
        connection,
        orderingKey,
        requests);
  }

  /**
   * Sets the claim number.
   *
   * @throws IllegalArgumentException if it is lower than the attempt
   */
  public FakeContext withClaimNumber(int value) {
    if (value < attempt) {
      throw new IllegalArgumentException(
          "attempt %d needs as many claims, not %d".formatted(attempt, value));
    }
    return new FakeContext(
        id, topic, attempt, value, headers, createdAt, connection, orderingKey, requests);
  }

  /** Adds a header. */
  public FakeContext withHeader(String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(name, value);
    return new FakeContext(
        id,
        topic,
        attempt,
        claimNumber,
        Map.copyOf(all),
        createdAt,
        connection,
        orderingKey,
        requests);
  }

  /** Sets when the message was enqueued. */
  public FakeContext withCreatedAt(Instant instant) {
    return new FakeContext(
        id, topic, attempt, claimNumber, headers, instant, connection, orderingKey, requests);
  }

  /** Sets the ordering key. */
  public FakeContext withOrderingKey(String key) {
    return new FakeContext(
        id, topic, attempt, claimNumber, headers, createdAt, connection, key, requests);
  }

  /** Makes the context transactional, on a connection whose transaction the test manages. */
  public FakeContext withTransaction(Connection transaction) {
    return new FakeContext(
        id, topic, attempt, claimNumber, headers, createdAt, transaction, orderingKey, requests);
  }

  /** Allows the handler to extend its timeout up to {@code longest}. */
  public FakeContext withLongestTimeout(Duration longest) {
    return with(
        new CancelRequests(longest, requests.cancelRequested, requests.reports, requests.batch));
  }

  /** Simulates a cancellation request. */
  public FakeContext withCancelRequested() {
    return with(
        new CancelRequests(requests.longestTimeout, true, requests.reports, requests.batch));
  }

  /** Makes the message a member of {@code batch}, which records additions. */
  public FakeContext withBatch(FakeBatch batch) {
    return with(
        new CancelRequests(
            requests.longestTimeout, requests.cancelRequested, requests.reports, batch));
  }

  private FakeContext with(CancelRequests others) {
    return new FakeContext(
        id, topic, attempt, claimNumber, headers, createdAt, connection, orderingKey, others);
  }

  @Override
  public MessageId id() {
    return id;
  }

  @Override
  public Topic topic() {
    return topic;
  }

  @Override
  public int attempt() {
    return attempt;
  }

  @Override
  public int claimNumber() {
    return claimNumber;
  }

  @Override
  public Map<String, String> headers() {
    return headers;
  }

  @Override
  public @Nullable String orderingKey() {
    return orderingKey;
  }

  @Override
  public Instant createdAt() {
    return createdAt;
  }

  /** Equal for equal message ids, regardless of the attempt. */
  @Override
  public String idempotencyKey() {
    return "test-" + id;
  }

  @Override
  public DSLContext transaction() {
    Connection transaction = connection();
    try {
      return JooqSettings.dsl(transaction, ServerDialect.of(transaction));
    } catch (SQLException e) {
      throw new IllegalStateException("the server of the test's connection cannot be read", e);
    }
  }

  @Override
  public Connection connection() {
    if (connection == null) {
      throw new IllegalStateException(
          "this context has no transaction; use withTransaction(connection)");
    }
    return connection;
  }

  /** Always the full time, since no time passes. */
  @Override
  public Duration extendTimeout(Duration fromNow) {
    if (fromNow.isNegative()) {
      throw new IllegalArgumentException(
          "fromNow must not be negative: " + Humanize.duration(fromNow));
    }
    Duration longest = requests.longestTimeout;
    if (longest == null) {
      throw new IllegalStateException(
          "this context has no longest timeout; use withLongestTimeout(duration)");
    }
    return fromNow.compareTo(longest) < 0 ? fromNow : longest;
  }

  @Override
  public void progress(long done, long total, String note) {
    requests.reports.add(report(done, total, note));
  }

  @Override
  public void progress(long done, String note) {
    requests.reports.add(report(done, null, note));
  }

  @Override
  public boolean isCancelRequested() {
    return requests.cancelRequested;
  }

  @Override
  public boolean isMember() {
    return requests.batch != null;
  }

  @Override
  public MemberContext batch() {
    FakeBatch batch = requests.batch;
    if (batch == null) {
      throw new IllegalStateException(
          "this context's message is not a member of a batch; use withBatch(batch)");
    }
    return batch;
  }

  @Override
  public void putHeaderForNextStep(String name, String value) {
    Headers.carry(carried, name, value);
  }

  /** Returns the headers carried to the next step by this context; unmodifiable. */
  public Map<String, String> carried() {
    return Map.copyOf(carried);
  }

  private Progress report(long done, @Nullable Long total, String note) {
    ProgressReport checked = new ProgressReport(new ClaimKey(id, claimNumber), done, total, note);
    return new Progress(checked.done(), checked.total(), checked.note());
  }

  /**
   * A progress report.
   *
   * @param done the amount done; not negative
   * @param total the total; null if unknown
   * @param note truncated to the length that a worker stores
   */
  public record Progress(long done, @Nullable Long total, String note) {}

  /** Returns the reports to this context and the contexts it was copied from, in order. */
  public List<Progress> reports() {
    return List.copyOf(requests.reports);
  }

  /** Returns the calls of long-running handlers. */
  private record CancelRequests(
      @Nullable Duration longestTimeout,
      boolean cancelRequested,
      List<Progress> reports,
      @Nullable FakeBatch batch) {}
}
