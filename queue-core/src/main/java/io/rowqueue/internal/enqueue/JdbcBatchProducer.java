package io.rowqueue.internal.enqueue;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.batch.BatchCounters;
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
  public BatchProducer notifying(@Nullable WorkerNotifier notifier) {
    return new JdbcBatchProducer(producer, new OwnTransactions(notifier));
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
  public boolean close(DSLContext transaction, MessageBatch batch) {
    return MemberSession.in(transaction, producer, closing(batch));
  }

  @Override
  public boolean close(Connection connection, MessageBatch batch) {
    return MemberSession.in(connection, producer, closing(batch));
  }

  @Override
  public boolean close(DataSource dataSource, MessageBatch batch) {
    return inOwn(dataSource, Transition.BATCH_CLOSE, 0, closing(batch));
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
    NewBatch batch = newBatch(settings, settings.shards(), producer);
    return (session, members) -> open(members, batch);
  }

  private static MemberSession.Work<List<MessageId>> adding(
      MessageBatch batch, List<NewMessage> messages) {
    return (session, members) -> add(session, members, batch, messages);
  }

  private static MemberSession.Work<Boolean> closing(MessageBatch batch) {
    return (session, members) -> members.close(batch.id(), batch.shards());
  }

  private MemberSession.Work<MessageBatch> enqueueing(
      BatchSettings settings, List<NewMessage> messages) {
    int shards = ShardAssignment.leaves(settings.shards(), messages.size());
    NewBatch batch = newBatch(settings, shards, producer);
    return (session, members) -> {
      MessageBatch made = open(members, batch);
      if (!messages.isEmpty()) {
        var unused = add(session, members, made, messages);
      }
      var unused = members.close(made.id(), made.shards());
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
  static NewBatch newBatch(BatchSettings settings, int shards, MessageProducer producer) {
    NewMessage completion = settings.completion();
    return new NewBatch(
        settings.name(),
        shards,
        settings.holdsDeadLetters(),
        completion == null ? null : producer.encoded(completion));
  }

  private static MessageBatch open(BatchCounters members, NewBatch batch) throws SQLException {
    return new MessageBatch(members.open(batch), batch.shards());
  }

  private static List<MessageId> add(
      MemberSession session, BatchCounters members, MessageBatch batch, List<NewMessage> messages)
      throws SQLException {
    List<NewMessage> spread = ShardAssignment.over(batch, messages);
    List<EnqueueResult> offers = session.offering().apply(spread);
    ShardAssignment.added(spread, offers)
        .forEach((shard, added) -> members.added(shard, added.members(), added.first()));
    members.write();
    return offers.stream().map(EnqueueResult::id).toList();
  }
}
