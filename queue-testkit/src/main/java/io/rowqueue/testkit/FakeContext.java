package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MemberContext;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.progress.ProgressReport;
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
 * The context of a handling that no worker does, for tests that call a handler themselves. By
 * default it is the first attempt at message 1 of {@link MessageFixtures#TOPIC}, without headers
 * and without a transaction. Each {@code with} method returns a copy, which shares its reports.
 *
 * <pre>{@code
 * handler.handle(new SendEmail("ada@example.org"), FakeContext.aContext().withAttempt(2));
 * }</pre>
 *
 * <p>Unlike a worker's, it refuses no commit on the connection that it is given, does not end with
 * the handling, and does not delete a message.
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
   * For another message.
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

  /** For a message of another topic. */
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
   * At another attempt, with a claim number that is at least as high.
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
   * Claimed for the {@code value}th time.
   *
   * @throws IllegalArgumentException if that is less often than it was attempted
   */
  public FakeContext withClaimNumber(int value) {
    if (value < attempt) {
      throw new IllegalArgumentException(
          "attempt %d needs as many claims, not %d".formatted(attempt, value));
    }
    return new FakeContext(
        id, topic, attempt, value, headers, createdAt, connection, orderingKey, requests);
  }

  /** With this header, too. */
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

  /** For a message that was enqueued at {@code instant}. */
  public FakeContext withCreatedAt(Instant instant) {
    return new FakeContext(
        id, topic, attempt, claimNumber, headers, instant, connection, orderingKey, requests);
  }

  /** For a message with this ordering key. */
  public FakeContext withOrderingKey(String key) {
    return new FakeContext(
        id, topic, attempt, claimNumber, headers, createdAt, connection, key, requests);
  }

  /** Transactional, on a connection that the test begins, ends and closes itself. */
  public FakeContext withTransaction(Connection transaction) {
    return new FakeContext(
        id, topic, attempt, claimNumber, headers, createdAt, transaction, orderingKey, requests);
  }

  /** Of a binding whose handler may extend its timeout up to {@code longest}. */
  public FakeContext withLongestTimeout(Duration longest) {
    return with(
        new CancelRequests(longest, requests.cancelRequested, requests.reports, requests.batch));
  }

  /** Of a message that somebody wants cancelled. */
  public FakeContext withCancelRequested() {
    return with(
        new CancelRequests(requests.longestTimeout, true, requests.reports, requests.batch));
  }

  /** Of a member of {@code batch}, which keeps what is added. */
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

  /** The same for the same message id, whatever the attempt. */
  @Override
  public String idempotencyKey() {
    return "test-" + id;
  }

  @Override
  public DSLContext transaction() {
    Connection transaction = connection();
    try {
      return Transactions.dsl(transaction, ServerDialect.of(transaction));
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

  /** As if the handling had just begun: no time passes. */
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

  /** What was carried to the next step by this context; unmodifiable. */
  public Map<String, String> carried() {
    return Map.copyOf(carried);
  }

  private Progress report(long done, @Nullable Long total, String note) {
    ProgressReport checked = new ProgressReport(new ClaimKey(id, claimNumber), done, total, note);
    return new Progress(checked.done(), checked.total(), checked.note());
  }

  /**
   * What a handler reported.
   *
   * @param done how much is done; not negative
   * @param total how much there is; null if it was not said
   * @param note cut to what a worker would keep
   */
  public record Progress(long done, @Nullable Long total, String note) {}

  /** All that was said to this context and to those that it was made of, the first first. */
  public List<Progress> reports() {
    return List.copyOf(requests.reports);
  }

  /** What long handlers ask for. */
  private record CancelRequests(
      @Nullable Duration longestTimeout,
      boolean cancelRequested,
      List<Progress> reports,
      @Nullable FakeBatch batch) {}
}
