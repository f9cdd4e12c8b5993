package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueResult;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.CheckedFunction;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.wakeup.AfterCommit;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

public final class JdbcMessageProducer extends SourceProducer {

  /** Larger statements are no faster, and take memory on both sides. */
  private static final long MOST_BYTES = 4 << 20;

  private final Encoder encoder;
  private final OwnTransactions own;

  public JdbcMessageProducer(Encoder encoder, @Nullable WorkerNotifier notifier) {
    this(encoder, new OwnTransactions(notifier));
  }

  private JdbcMessageProducer(Encoder encoder, OwnTransactions own) {
    this.encoder = encoder;
    this.own = own;
  }

  @Override
  public MessageProducer notifying(WorkerNotifier other) {
    return new JdbcMessageProducer(encoder, other);
  }

  @Override
  public MessageProducer wrapping(Wrapping other) {
    return new JdbcMessageProducer(encoder.withWrapping(other), own);
  }

  @Override
  public MessageProducer storing(BodyStore store, long from) {
    return new JdbcMessageProducer(encoder.storing(store, from), own);
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    EncodedBody body = encoder.body(message);
    return message.withStoredBody(body.payload(), body.headers());
  }

  @Override
  protected List<EnqueueResult> insert(TxSource source, Collection<NewMessage> messages) {
    List<EncodedMessage> encoded = messages.stream().map(encoder::row).toList();
    if (source instanceof TxSource.OfDataSource its && MultiRowInsert.isEnoughFor(encoded)) {
      List<Long> ids = own.insertAndCommit(its.dataSource(), encoded, dueNow(messages));
      if (ids != null) {
        return inserted(ids);
      }
    }
    return source.run(
        call(Transition.ENQUEUE, encoded.size()),
        session -> {
          List<EnqueueResult> offers = insert(session.connection(), encoded);
          note(session.afterCommit(), messages);
          return offers;
        });
  }

  @Override
  protected Publications publish(TxSource source, Collection<NewMessage> messages) {
    List<Encoder.Draft> drafts = encoder.drafts(messages);
    return source.run(
        call(Transition.PUBLISH, drafts.size()),
        session -> {
          Publications made = publish(session.connection(), drafts);
          note(session.afterCommit(), drafts, made);
          return made;
        });
  }

  private TxSource.Call call(Transition transition, int messages) {
    return new TxSource.Call(own, transition, messages + " messages");
  }

  /** Notifies only for messages that are due now. */
  private static void note(@Nullable AfterCommit pending, Collection<NewMessage> messages) {
    if (pending != null) {
      dueNow(messages).forEach(pending::onEnqueued);
    }
  }

  /** How many of {@code messages} are due now, by topic. */
  private static Map<Topic, Integer> dueNow(Collection<NewMessage> messages) {
    Map<Topic, Integer> dueNow = new HashMap<>();
    messages.stream()
        .filter(JdbcMessageProducer::isDueNow)
        .forEach(message -> dueNow.merge(message.topic(), 1, Integer::sum));
    return dueNow;
  }

  /** Notifies for the copies of messages that are due now. */
  private static void note(
      @Nullable AfterCommit pending, List<Encoder.Draft> drafts, Publications made) {
    for (int i = 0; pending != null && i < drafts.size(); i++) {
      if (isDueNow(drafts.get(i).message())) {
        made.all().get(i).copies().keySet().forEach(topic -> pending.onEnqueued(topic, 1));
      }
    }
  }

  private static boolean isDueNow(NewMessage message) {
    return message.delay().isZero() && message.dueAt() == null;
  }

  /** Inserts the copies of a message one after another, in the order of their topics. */
  private Publications publish(Connection connection, List<Encoder.Draft> drafts)
      throws SQLException {
    Subscribed subscribed =
        Subscribed.locked(connection, drafts.stream().map(Encoder.Draft::message).toList());
    List<EncodedMessage> copies = new ArrayList<>();
    for (Encoder.Draft draft : drafts) {
      for (Topic topic : subscribed.topics(draft.message().topic())) {
        copies.add(encoder.copy(draft, topic));
      }
    }
    Iterator<MessageId> ids = insert(connection, copies).stream().map(EnqueueResult::id).iterator();
    return new Publications(
        drafts.stream()
            .map(draft -> publication(draft.message().topic(), subscribed, ids))
            .toList());
  }

  private static Publication publication(
      Topic source, Subscribed subscribed, Iterator<MessageId> ids) {
    Map<Topic, MessageId> copies = new LinkedHashMap<>();
    subscribed.topics(source).forEach(topic -> copies.put(topic, ids.next()));
    return new Publication(source, copies);
  }

  private static List<EnqueueResult> insert(Connection connection, List<EncodedMessage> messages)
      throws SQLException {
    if (messages.isEmpty()) {
      return List.of();
    }
    long bytes = MultiRowInsert.packetBytes(messages);
    long packet =
        bytes <= MultiRowInsert.SURE_BYTES
            ? MultiRowInsert.SURE_BYTES
            : packetBytes(connection, messages);
    MultiRowInsert insert = new MultiRowInsert(connection);
    boolean ordered = OrderedInsert.isFor(messages);
    boolean external = BodyInsert.isFor(messages);
    CheckedFunction<List<EncodedMessage>, List<Long>> rows =
        external
            ? others -> insertWithBodies(connection, others, packet)
            : others -> insert.insert(others, packet);
    CheckedFunction<List<EncodedMessage>, List<Long>> all =
        ordered ? new OrderedInsert(connection, rows)::insert : rows;
    if (messages.stream().anyMatch(message -> message.deduplication() != null)) {
      KeyedInsert keyed = new KeyedInsert(connection, messages, all);
      return CallersTransaction.allOrNone(connection, unused -> keyed.run());
    }
    boolean oneStatement =
        !ordered && !external && bytes <= packet && messages.size() <= MultiRowInsert.MAX_ROWS;
    List<Long> ids =
        oneStatement
            ? insert.insert(messages, packet)
            : CallersTransaction.allOrNone(connection, unused -> all.apply(messages));
    return inserted(ids);
  }

  private static List<EnqueueResult> inserted(List<Long> ids) {
    return ids.stream()
        .map(id -> new EnqueueResult(new MessageId(id), EnqueueResult.Outcome.INSERTED))
        .toList();
  }

  private static List<Long> insertWithBodies(
      Connection connection, List<EncodedMessage> messages, long packet) throws SQLException {
    List<Long> ids = new MultiRowInsert(connection).insert(messages, packet);
    new BodyInsert(connection).insert(messages, ids);
    return ids;
  }

  private static long packetBytes(Connection connection, List<EncodedMessage> messages)
      throws SQLException {
    long allowed = maxAllowedPacket(connection);
    for (EncodedMessage message : messages) {
      if (message.packetBytes() > allowed) {
        throw new InvalidMessageException(
            "a message to '%s' needs a packet of %,d bytes and the server's max_allowed_packet is %,d; raise it there, or make the payload smaller"
                .formatted(message.topic(), message.packetBytes(), allowed));
      }
    }
    return Math.min(MOST_BYTES, allowed / 2);
  }

  private static long maxAllowedPacket(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@max_allowed_packet")) {
      row.next();
      return row.getLong(1);
    }
  }
}
