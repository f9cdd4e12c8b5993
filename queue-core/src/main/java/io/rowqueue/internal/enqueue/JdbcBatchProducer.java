package io.rowqueue.internal.enqueue;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Offer;
import io.rowqueue.Ring;
import io.rowqueue.internal.batch.Members;
import io.rowqueue.internal.batch.NewBatch;
import io.rowqueue.internal.database.Transition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Writes rows by JDBC, on the connection of the transaction. */
public final class JdbcBatchProducer implements BatchProducer {

  private final MessageProducer producer;
  private final OwnTransactions own;

  public JdbcBatchProducer(MessageProducer producer, OwnTransactions own) {
    this.producer = producer;
    this.own = own;
  }

  @Override
  public BatchProducer ringing(@Nullable Ring ring) {
    return new JdbcBatchProducer(producer, new OwnTransactions(ring));
  }

  @Override
  public MessageBatch open(DSLContext transaction, BatchSettings settings) {
    return MemberSession.in(transaction, producer, opening(settings));
  }

  @Override
  public MessageBatch open(Connection connection, BatchSettings settings) {
    return MemberSession.in(connection, producer, opening(settings));
  }

  @Override
  public MessageBatch open(DataSource dataSource, BatchSettings settings) {
    return inOwn(dataSource, Transition.BATCH_ADD, 0, opening(settings));
  }

  @Override
  public List<MessageId> add(
      DSLContext transaction, MessageBatch batch, Collection<NewMessage> messages) {
    return MemberSession.in(transaction, producer, adding(batch, List.copyOf(messages)));
  }

  @Override
  public List<MessageId> add(
      Connection connection, MessageBatch batch, Collection<NewMessage> messages) {
    return MemberSession.in(connection, producer, adding(batch, List.copyOf(messages)));
  }

  @Override
  public List<MessageId> add(
      DataSource dataSource, MessageBatch batch, Collection<NewMessage> messages) {
    List<NewMessage> all = List.copyOf(messages);
    return inOwn(dataSource, Transition.BATCH_ADD, all.size(), adding(batch, all));
  }

  @Override
  public boolean seal(DSLContext transaction, MessageBatch batch) {
    return MemberSession.in(transaction, producer, sealing(batch));
  }

  @Override
  public boolean seal(Connection connection, MessageBatch batch) {
    return MemberSession.in(connection, producer, sealing(batch));
  }

  @Override
  public boolean seal(DataSource dataSource, MessageBatch batch) {
    return inOwn(dataSource, Transition.BATCH_SEAL, 0, sealing(batch));
  }

  @Override
  public MessageBatch enqueue(
      DSLContext transaction, BatchSettings settings, Collection<NewMessage> messages) {
    return MemberSession.in(transaction, producer, enqueueing(settings, List.copyOf(messages)));
  }

  @Override
  public MessageBatch enqueue(
      Connection connection, BatchSettings settings, Collection<NewMessage> messages) {
    return MemberSession.in(connection, producer, enqueueing(settings, List.copyOf(messages)));
  }

  @Override
  public MessageBatch enqueue(
      DataSource dataSource, BatchSettings settings, Collection<NewMessage> messages) {
    List<NewMessage> all = List.copyOf(messages);
    return inOwn(dataSource, Transition.BATCH_ADD, all.size(), enqueueing(settings, all));
  }

  /** The completion message is encoded before the session begins, as everything is. */
  private MemberSession.Work<MessageBatch> opening(BatchSettings settings) {
    NewBatch batch = newBatch(settings, settings.leaves(), producer);
    return (session, members) -> open(members, batch);
  }

  private static MemberSession.Work<List<MessageId>> adding(
      MessageBatch batch, List<NewMessage> messages) {
    return (session, members) -> add(session, members, batch, messages);
  }

  private static MemberSession.Work<Boolean> sealing(MessageBatch batch) {
    return (session, members) -> members.seal(batch.id(), batch.leaves());
  }

  private MemberSession.Work<MessageBatch> enqueueing(
      BatchSettings settings, List<NewMessage> messages) {
    int leaves = Spread.leaves(settings.leaves(), messages.size());
    NewBatch batch = newBatch(settings, leaves, producer);
    return (session, members) -> {
      MessageBatch made = open(members, batch);
      if (!messages.isEmpty()) {
        var unused = add(session, members, made, messages);
      }
      var unused = members.seal(made.id(), made.leaves());
      return made;
    };
  }

  private <T> T inOwn(
      DataSource dataSource, Transition transition, int messages, MemberSession.Work<T> work) {
    return own.run(
        dataSource,
        transition,
        "a batch and %d messages of it".formatted(messages),
        tx -> MemberSession.in(tx, producer, work));
  }

  /** What {@code settings} say, with the completion message as {@code producer} encodes it. */
  static NewBatch newBatch(BatchSettings settings, int leaves, MessageProducer producer) {
    NewMessage completion = settings.completion();
    return new NewBatch(
        settings.name(),
        leaves,
        settings.holdsDeadLetters(),
        completion == null ? null : producer.encoded(completion));
  }

  private static MessageBatch open(Members members, NewBatch batch) throws SQLException {
    return new MessageBatch(members.open(batch), batch.leaves());
  }

  private static List<MessageId> add(
      MemberSession session, Members members, MessageBatch batch, List<NewMessage> messages)
      throws SQLException {
    List<NewMessage> spread = Spread.over(batch, messages);
    List<Offer> offers = session.offering().apply(spread);
    Spread.added(spread, offers)
        .forEach((leaf, added) -> members.added(leaf, added.members(), added.first()));
    members.write();
    return offers.stream().map(Offer::id).toList();
  }
}
