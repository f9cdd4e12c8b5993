package io.rowqueue.testkit;

import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Publications;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.enqueue.EncodedBody;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.enqueue.SourceProducer;
import io.rowqueue.internal.enqueue.TxSource;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.testkit.QueuedMessage.State;
import io.rowqueue.testkit.QueuedMessage.When;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what is enqueued, and sends nothing. Messages are encoded, wrapped and held to the
 * limits as the real one does it, so that what a handler cannot enqueue fails here, too.
 */
final class RecordingProducer extends SourceProducer {

  private final Stage stage;
  private final Encoder encoder;

  RecordingProducer(Stage stage, Encoder encoder) {
    this.stage = stage;
    this.encoder = encoder;
  }

  @Override
  protected List<EnqueueResult> insert(TxSource source, Collection<NewMessage> messages) {
    if (!source.isOwn()) {
      boolean unused = source.poll("the connection cannot be used", this::checkInTransaction);
    }
    return record(messages, source.afterCommit() != null);
  }

  @Override
  protected Publications publish(TxSource source, Collection<NewMessage> messages) {
    return published(messages, insert(source, messages));
  }

  @Override
  public MessageProducer notifying(WorkerNotifier notifier) {
    return this;
  }

  @Override
  public MessageProducer wrapping(Wrapping other) {
    return new RecordingProducer(stage, encoder.withWrapping(other));
  }

  /** What is stored and what lies beside its row is remembered alike. */
  @Override
  public MessageProducer storing(BodyStore store, long from) {
    return this;
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    EncodedBody body = encoder.body(message);
    return message.withStoredBody(body.payload(), body.headers());
  }

  private boolean checkInTransaction(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection commits by itself, so the messages would not share your transaction's"
              + " fate; call setAutoCommit(false) first, or pass a DataSource");
    }
    return true;
  }

  /** Everything is encoded before anything is kept. */
  private List<EnqueueResult> record(Collection<NewMessage> messages, boolean shared) {
    Recording recording = stage.recording();
    List<QueuedMessage> queued =
        messages.stream().map(message -> queued(message, recording.nextId())).toList();
    queued.forEach(message -> recording.enqueued(message, shared));
    return queued.stream()
        .map(
            message ->
                new EnqueueResult(new MessageId(message.id()), EnqueueResult.Outcome.INSERTED))
        .toList();
  }

  /** Nobody knows who is subscribed: the message is kept under its source, as if it were one. */
  private static Publications published(
      Collection<NewMessage> messages, List<EnqueueResult> offers) {
    var ids = offers.iterator();
    return new Publications(
        messages.stream()
            .map(
                message ->
                    new Publication(message.topic(), Map.of(message.topic(), ids.next().id())))
            .toList());
  }

  private QueuedMessage queued(NewMessage message, long id) {
    EncodedBody body = encoder.body(message);
    Instant dueAt = message.dueAt();
    boolean later = dueAt != null || !message.delay().isZero();
    State state = later ? State.SCHEDULED : State.AVAILABLE;
    When when = later ? new When(dueAt == null ? message.delay() : null, dueAt) : When.NOW;
    @Nullable String line = message.orderingKey();
    return new QueuedMessage(
        id,
        message.topic().name(),
        state,
        when,
        message.priority(),
        line,
        body.headers(),
        body.payload(),
        0,
        "");
  }
}
