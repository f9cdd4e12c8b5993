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
 * Records enqueued messages, and sends none. Encodes and transforms them and enforces the limits
 * like the real producer, so that invalid messages fail here too.
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
      boolean unused = source.read("the connection cannot be used", this::checkInTransaction);
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

  /** External and separately stored payloads are recorded like others. */
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
          "the connection is in auto-commit mode, so the messages would not be part of your"
              + " transaction; call setAutoCommit(false) first, or pass a DataSource");
    }
    return true;
  }

  /** Encodes everything before it records anything, so that a failure records nothing. */
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

  /**
   * The subscriptions are unknown: the message is recorded under its source as if that were a
   * topic.
   */
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
