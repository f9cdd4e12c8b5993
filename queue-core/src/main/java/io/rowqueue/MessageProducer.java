package io.rowqueue;

import io.rowqueue.internal.enqueue.BackPressureProducer;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.enqueue.JdbcMessageProducer;
import io.rowqueue.internal.enqueue.ReportingProducer;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.ObjIntConsumer;
import javax.sql.DataSource;

/**
 * Enqueues messages, by default in the transaction of the caller: the message exists if that
 * transaction commits, and never existed if it rolls back. Thread-safe.
 *
 * <p>Several messages are written as multi-row inserts, each well below the server's {@code
 * max_allowed_packet}, all or none: if any message of the call is rejected, none is written and the
 * caller's transaction is unchanged.
 *
 * <p>Idle workers are notified within milliseconds of the commit: automatically by the methods that
 * take a data source, and inside a handler's transaction; after your own transaction by a {@link
 * WorkerNotifier}. Without a notification they find the message by their next poll, up to a second
 * later.
 *
 * <p>A message with a {@link io.rowqueue.Deduplication} whose key is held is not inserted: its id
 * is the first message's, or the first message takes over its content, or the call throws {@link
 * DuplicateMessageException}. The call waits for another producer with the same key until that
 * one's transaction ends, so enqueue last, and all in one call. Results hold if the caller's
 * transaction commits.
 *
 * <p>Every method throws {@link io.rowqueue.InvalidMessageException} or {@link
 * io.rowqueue.PayloadException} for a message that is rejected, and {@link EnqueueException} if the
 * database refuses the insert.
 */
public interface MessageProducer {

  /**
   * Enqueues in the transaction of {@code connection}, which the caller commits: a plain JDBC
   * connection, or the one of Spring's or JPA's transaction; for jOOQ's see {@link Jooq}.
   *
   * @throws IllegalStateException if auto-commit is on
   */
  default MessageId enqueue(Connection connection, NewMessage message) {
    return enqueueAll(connection, List.of(message)).get(0);
  }

  /** Enqueues all of {@code messages}, or none; returns the ids in their order. */
  default List<MessageId> enqueueAll(Connection connection, Collection<NewMessage> messages) {
    return enqueueAllWithResults(connection, messages).stream().map(EnqueueResult::id).toList();
  }

  /**
   * Enqueues in a transaction of its own, which has committed when this returns. The whole
   * transaction is repeated after a deadlock, a lock wait timeout or a connection lost before the
   * commit.
   *
   * <p>If one INSERT is enough, it is sent with auto-commit instead, and concurrent calls with the
   * same data source, whose connections lead to the same schema, may share it. A call waits only
   * while other calls are written. Each gets its own id or its own error.
   *
   * @throws IllegalStateException if the connection is in a transaction that RowQueue did not begin
   * @throws EnqueueOutcomeUnknownException if the connection was lost during the commit, or after
   *     the INSERT was sent
   */
  default MessageId enqueue(DataSource dataSource, NewMessage message) {
    return enqueueAll(dataSource, List.of(message)).get(0);
  }

  /** Enqueues all of {@code messages}, or none; returns the ids in their order. */
  default List<MessageId> enqueueAll(DataSource dataSource, Collection<NewMessage> messages) {
    return enqueueAllWithResults(dataSource, messages).stream().map(EnqueueResult::id).toList();
  }

  /**
   * Publishes in the transaction of {@code connection}, which the caller commits: enqueues a copy
   * of {@code message} for each topic that is subscribed to the message's topic, its source. Each
   * copy is an independent message; without a subscription, nothing is written. The source itself
   * gets no copy unless it is subscribed, and a copy is not published again.
   *
   * <p>Until the transaction ends, the source's subscriptions cannot change, and changes of them
   * wait. So a publication sees every change that has returned before it, whatever the
   * transaction's snapshot; and when {@link io.rowqueue.operate.Subscriptions#unsubscribe} has
   * returned, every earlier copy is committed.
   *
   * @throws IllegalStateException if auto-commit is on
   */
  default Publication publish(Connection connection, NewMessage message) {
    return publishAll(connection, List.of(message)).all().get(0);
  }

  /**
   * Publishes all of {@code messages}, or none: if the copy for one topic is rejected, nothing of
   * the call is written. All messages with one source reach the same topics.
   */
  Publications publishAll(Connection connection, Collection<NewMessage> messages);

  /**
   * Publishes in a transaction of its own, which has committed when this returns. Repeated like
   * {@link #enqueue(DataSource, NewMessage)}.
   *
   * @throws EnqueueOutcomeUnknownException if the connection was lost during the commit
   */
  default Publication publish(DataSource dataSource, NewMessage message) {
    return publishAll(dataSource, List.of(message)).all().get(0);
  }

  /** Publishes all of {@code messages}, or none. */
  Publications publishAll(DataSource dataSource, Collection<NewMessage> messages);

  /**
   * Like {@link #enqueueAll(Connection, Collection)}, but returns the result of each message, in
   * their order; for messages with a {@link io.rowqueue.Deduplication}.
   */
  List<EnqueueResult> enqueueAllWithResults(Connection connection, Collection<NewMessage> messages);

  /**
   * Like {@link #enqueueAllWithResults(Connection, Collection)}, in a transaction of its own, which
   * is repeated like that of {@link #enqueue(DataSource, NewMessage)}.
   */
  List<EnqueueResult> enqueueAllWithResults(DataSource dataSource, Collection<NewMessage> messages);

  /**
   * {@code message} with its payload encoded and wrapped, as stored in a row; it is validated but
   * not enqueued. For RowQueue's own packages, which keep messages that are enqueued later.
   */
  NewMessage encoded(NewMessage message);

  /**
   * A copy that wakes idle workers by {@code notifier} after transactions of its own. By default it
   * notifies over the data source that it is given; {@link WorkerNotifier#SILENT} leaves the
   * workers to polling.
   */
  MessageProducer notifying(WorkerNotifier notifier);

  /**
   * A copy that wraps payloads with {@code wrapping}, and marks those messages in their headers.
   * Allow the workers to read the wrappers first.
   */
  MessageProducer wrapping(Wrapping wrapping);

  /**
   * A copy that stores payloads of at least {@code from} bytes, and all streamed ones, in {@code
   * store} instead of the database. Configure the store on the workers first.
   *
   * @throws IllegalArgumentException if {@code from} is negative
   */
  MessageProducer storing(BodyStore store, long from);

  /**
   * A copy that rejects messages for topics over their back-pressure limits, before anything is
   * sent: the caller's transaction is unchanged. Of several messages all are rejected or none.
   *
   * @return a producer whose methods throw {@link io.rowqueue.TopicFullException}
   */
  default MessageProducer rejectingWhenFull(BackPressure backPressure) {
    return new BackPressureProducer(this, backPressure, null);
  }

  /**
   * A copy that blocks while topics are over their back-pressure limits, and rejects messages if
   * that takes more than {@code longest}, or if its thread is interrupted. For the methods that
   * take a data source; the others throw {@link IllegalStateException}, since waiting in a
   * transaction holds its locks. Call {@link BackPressure#await} before your own transaction.
   */
  default MessageProducer blockingWhenFull(BackPressure backPressure, Duration longest) {
    return new BackPressureProducer(this, backPressure, longest);
  }

  /**
   * A copy that reports publications without subscriptions, of which nothing is stored, to {@code
   * watch}: their source and how many messages one call published. Called on the publisher's
   * thread, when the call returns; the caller's transaction may still be rolled back.
   *
   * @param watch thread-safe
   */
  default MessageProducer reportingTo(ObjIntConsumer<Topic> watch) {
    return new ReportingProducer(this, watch::accept);
  }

  /** A producer of JSON payloads within the default limits. */
  static MessageProducer create() {
    return create(PayloadCodec.json(), MessageLimits.defaults());
  }

  /** A producer that encodes with {@code codec} and rejects messages over {@code limits}. */
  static MessageProducer create(PayloadCodec codec, MessageLimits limits) {
    return new JdbcMessageProducer(new Encoder(codec, Wrapping.none(), limits), null);
  }
}
