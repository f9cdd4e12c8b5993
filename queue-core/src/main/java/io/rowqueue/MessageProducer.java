package io.rowqueue;

import io.rowqueue.internal.enqueue.BackPressureProducer;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.enqueue.JooqMessageProducer;
import io.rowqueue.internal.enqueue.ReportingProducer;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;

/**
 * Puts messages into the queue, by default in the transaction of the caller: the message exists if
 * that transaction commits, and never existed if it rolls back. Thread-safe.
 *
 * <p>A batch is written as multi-row inserts, each well below the server's {@code
 * max_allowed_packet}, all or none: if any message of it is refused, none is written and the
 * caller's transaction is as it was before the call.
 *
 * <p>Idle workers learn of a message within milliseconds of its commit: by themselves after the
 * methods that take a data source, and inside a handler's transaction; after a transaction of yours
 * by a {@link WorkerNotifier}. Without a ring they find it at their next look, up to a second
 * later.
 *
 * <p>A message with a {@link io.rowqueue.Deduplication} whose key is held is not inserted: its id
 * is the first's, or the first takes its content, or the call throws {@link
 * DuplicateMessageException}. It waits for a producer that has the same key in its transaction, to
 * the end of that one: enqueue last, and all in one call. What the answer says holds if the
 * caller's transaction commits.
 *
 * <p>Every method throws {@link io.rowqueue.InvalidMessageException} or {@link
 * io.rowqueue.PayloadException} for a message that is refused, and {@link EnqueueException} if the
 * database does not take the insert.
 */
public interface MessageProducer {

  /**
   * Enqueues in the transaction that {@code transaction} runs in.
   *
   * @throws IllegalStateException if it is in no transaction (the connection commits by itself)
   */
  default MessageId enqueue(DSLContext transaction, NewMessage message) {
    return enqueueAll(transaction, List.of(message)).get(0);
  }

  /** Enqueues all of {@code messages}, or none; the ids stand in their order. */
  default List<MessageId> enqueueAll(DSLContext transaction, Collection<NewMessage> messages) {
    return enqueueAllWithResults(transaction, messages).stream().map(EnqueueResult::id).toList();
  }

  /**
   * Enqueues in the transaction of {@code connection}, which the caller commits: a plain JDBC
   * connection, or the one that Spring's or JPA's transaction holds.
   *
   * @throws IllegalStateException if the connection commits by itself (auto-commit is on)
   */
  default MessageId enqueue(Connection connection, NewMessage message) {
    return enqueueAll(connection, List.of(message)).get(0);
  }

  /** Enqueues all of {@code messages}, or none; the ids stand in their order. */
  default List<MessageId> enqueueAll(Connection connection, Collection<NewMessage> messages) {
    return enqueueAllWithResults(connection, messages).stream().map(EnqueueResult::id).toList();
  }

  /**
   * Enqueues in a transaction of its own, which has committed when this returns. Repeated as a
   * whole after a deadlock, a lock wait timeout or a connection lost before the commit.
   *
   * @throws EnqueueOutcomeUnknownException if the connection was lost during the commit
   */
  default MessageId enqueue(DataSource dataSource, NewMessage message) {
    return enqueueAll(dataSource, List.of(message)).get(0);
  }

  /** Enqueues all of {@code messages}, or none; the ids stand in their order. */
  default List<MessageId> enqueueAll(DataSource dataSource, Collection<NewMessage> messages) {
    return enqueueAllWithResults(dataSource, messages).stream().map(EnqueueResult::id).toList();
  }

  /**
   * Publishes in the transaction that {@code transaction} runs in: enqueues a copy of {@code
   * message} for each topic that is subscribed to the message's topic, its source. Each copy has
   * everything of the message and a life of its own; where nobody is subscribed, nothing is
   * written. The source itself gets nothing unless it is subscribed, and a copy is not published
   * again.
   *
   * <p>Until the transaction ends, the source's subscriptions stay as they are, and whoever changes
   * them waits. So a publication sees every change that has returned before it, whatever the
   * transaction's snapshot; and when {@link io.rowqueue.operate.Subscriptions#unsubscribe} has
   * returned, every copy is committed that it did not prevent.
   *
   * @throws IllegalStateException if it is in no transaction (the connection commits by itself)
   */
  default Publication publish(DSLContext transaction, NewMessage message) {
    return publishAll(transaction, List.of(message)).all().get(0);
  }

  /**
   * Publishes all of {@code messages}, or none: if one topic refuses its copy, nothing of the call
   * is written. All that have one source reach the same topics.
   */
  Publications publishAll(DSLContext transaction, Collection<NewMessage> messages);

  /** The same in the transaction of {@code connection}, which the caller commits. */
  default Publication publish(Connection connection, NewMessage message) {
    return publishAll(connection, List.of(message)).all().get(0);
  }

  /** Publishes all of {@code messages}, or none. */
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
   * The same as {@link #enqueueAll(DSLContext, Collection)}, and says of each message what became
   * of it, in their order; for messages with a {@link io.rowqueue.Deduplication}.
   */
  List<EnqueueResult> enqueueAllWithResults(
      DSLContext transaction, Collection<NewMessage> messages);

  /** The same in the transaction of {@code connection}, which the caller commits. */
  List<EnqueueResult> enqueueAllWithResults(Connection connection, Collection<NewMessage> messages);

  /** The same in a transaction of its own; repeated as its enqueues are. */
  List<EnqueueResult> enqueueAllWithResults(DataSource dataSource, Collection<NewMessage> messages);

  /**
   * {@code message} with its payload encoded and wrapped, as a row holds it; it is checked and not
   * enqueued. For RowQueue's own rooms, which keep messages that are enqueued later.
   */
  NewMessage encoded(NewMessage message);

  /**
   * The same, but it wakes idle workers with {@code ring} after transactions of its own. By default
   * it does so over the data source that it is given; {@link WorkerNotifier#SILENT} leaves the
   * workers to their own looks.
   */
  MessageProducer notifying(WorkerNotifier notifier);

  /**
   * The same, but it wraps payloads as {@code wrapping} says, and marks those messages in their
   * headers. Allow the workers to read the wrappers first.
   */
  MessageProducer wrapping(Wrapping wrapping);

  /**
   * The same, but it puts payloads of at least {@code from} bytes, and all that are streamed, into
   * {@code store} and not into the database. Give the workers the store first.
   *
   * @throws IllegalArgumentException if {@code from} is negative
   */
  MessageProducer storing(BodyStore store, long from);

  /**
   * The same, but it refuses messages for topics that are overfull, before anything is sent: a
   * transaction of the caller's is as it was. Of several messages all are refused or none.
   *
   * @return one whose every method throws {@link io.rowqueue.TopicFullException}
   */
  default MessageProducer rejectingWhenFull(BackPressure capacity) {
    return new BackPressureProducer(this, capacity, null);
  }

  /**
   * The same, but it waits until the topics have room, and refuses when that takes more than {@code
   * longest}, or when its thread is interrupted. For the methods that take a data source; the
   * others throw {@link IllegalStateException}, since whoever waits in a transaction holds its
   * locks. Before a transaction of yours call {@link BackPressure#await}.
   */
  default MessageProducer blockingWhenFull(BackPressure capacity, Duration longest) {
    return new BackPressureProducer(this, capacity, longest);
  }

  /** The same, but {@code watch} is told of what it publishes and nobody gets. */
  default MessageProducer reportingTo(PublicationListener watch) {
    return new ReportingProducer(this, watch);
  }

  /** A producer of JSON payloads within the default limits. */
  static MessageProducer create() {
    return create(PayloadCodec.json(), MessageLimits.defaults());
  }

  /** A producer that encodes with {@code codec} and refuses what exceeds {@code limits}. */
  static MessageProducer create(PayloadCodec codec, MessageLimits limits) {
    return new JooqMessageProducer(new Encoder(codec, Wrapping.none(), limits), null);
  }
}
