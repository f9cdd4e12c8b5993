package io.rowqueue.testkit.internal.memory;

import io.rowqueue.BodySource;
import io.rowqueue.Deduplication;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.enqueue.EncodedBody;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.enqueue.SourceProducer;
import io.rowqueue.internal.enqueue.TxSource;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues messages into memory, in the transaction of a connection of {@link Memory#connect}.
 * Encodes and transforms them and enforces the limits like the real producer. Rejects unsupported
 * features.
 */
final class MemoryProducer extends SourceProducer {

  private final Memory memory;
  private final MemorySubscriptions subscriptions;
  private final Encoder encoder;

  MemoryProducer(Memory memory, MemorySubscriptions subscriptions, Encoder encoder) {
    this.memory = memory;
    this.subscriptions = subscriptions;
    this.encoder = encoder;
  }

  /** A row that exists from the COMMIT on. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Insert(Memory memory, MemoryRow row, byte @Nullable [] external)
      implements MemoryTransaction.Change {

    @Override
    public void commit() {
      memory.rows.put(row.id, row);
      if (external != null) {
        memory.bodies.lay(row.id, external);
      }
    }

    @Override
    public void undo() {
      if (external != null && memory.rules.leavesBodiesBehind()) {
        memory.bodies.lay(row.id, external);
      }
    }
  }

  @Override
  protected List<EnqueueResult> insert(TxSource source, Collection<NewMessage> messages) {
    return in(source, open -> insert(open, messages));
  }

  /** In the caller's transaction, or in one of its own, whatever the data source. */
  <T> T in(TxSource source, Function<MemoryTransaction, T> work) {
    return source.isOwn()
        ? memory.inOwn(work)
        : source.read(
            "the transaction failed", connection -> work.apply(transactionOf(connection)));
  }

  MemoryTransaction transactionOf(Connection connection) {
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalStateException(
            "the connection is in auto-commit mode, so the messages would not be part of your"
                + " transaction; call setAutoCommit(false) first, or pass a DataSource");
      }
      return MemoryTransaction.of(connection, memory);
    } catch (SQLException e) {
      throw new EnqueueException(
          "a queue in memory accepts messages only in its own transactions, the handler's"
              + " context.transaction() or inTransaction(...): "
              + e.getMessage(),
          e);
    }
  }

  /** In a transaction of its own. */
  List<EnqueueResult> offerNow(Collection<NewMessage> messages) {
    return memory.inOwn(own -> insert(own, messages));
  }

  /** In {@code open}; a failure undoes all of its changes. */
  List<EnqueueResult> insert(MemoryTransaction open, Collection<NewMessage> messages) {
    List<MemoryDraft> drafts = messages.stream().map(this::draft).toList();
    synchronized (memory) {
      Call call = new Call(memory, open);
      return open.whole(() -> drafts.stream().map(call::offer).toList());
    }
  }

  private MemoryDraft draft(NewMessage message) {
    return MemoryDraft.of(message, encoder, memory.rules);
  }

  /** One call; its messages are checked against each other. */
  private static final class Call {

    private final Memory memory;
    private final MemoryTransaction open;
    private final MemoryKeys keys;
    private final Map<MemoryKeys.Key, Deduplication> seen = new HashMap<>();

    Call(Memory memory, MemoryTransaction open) {
      this.memory = memory;
      this.open = open;
      this.keys = new MemoryKeys(memory, open);
    }

    EnqueueResult offer(MemoryDraft draft) {
      Deduplication rule = draft.message().deduplication();
      if (rule == null) {
        return inserted(insert(draft));
      }
      MemoryKeys.Key key = new MemoryKeys.Key(draft.message().topic(), rule.key());
      boolean again = isOfferedAgain(key, rule, draft);
      MemoryRow holder = keys.holder(key, rule);
      if (holder == null) {
        MemoryRow row = insert(draft);
        keys.take(key, row, rule);
        return inserted(row);
      }
      if (rule.answer() == Deduplication.Answer.REFUSE) {
        throw new DuplicateMessageException(key.topic(), rule.key(), again ? null : holder.id);
      }
      if (!rule.replaces()) {
        return new EnqueueResult(holder.messageId(), EnqueueResult.Outcome.DUPLICATE);
      }
      if (!memory.rules.mayReplace(holder, draft.message())) {
        throw DuplicateMessageException.ofAnotherGroup(
            key.topic(), rule.key(), again ? null : holder.id);
      }
      boolean keepsDue = rule.answer() == Deduplication.Answer.REPLACE_KEEPING_DUE_TIME;
      Instant due = due(draft.message());
      open.add(() -> replace(holder, draft, keepsDue ? null : due));
      return new EnqueueResult(holder.messageId(), EnqueueResult.Outcome.REPLACED);
    }

    /** Returns whether another message of the call has the key, with an equal rule. */
    private boolean isOfferedAgain(MemoryKeys.Key key, Deduplication rule, MemoryDraft draft) {
      Deduplication other = seen.putIfAbsent(key, rule);
      if (other != null && !other.equals(rule)) {
        throw new InvalidMessageException(
            "deduplication key '%s' of topic '%s' has two rules in one call, %s and %s; use one of them"
                .formatted(rule.key(), draft.message().topic(), other, rule));
      }
      return other != null;
    }

    private static EnqueueResult inserted(MemoryRow row) {
      return new EnqueueResult(row.messageId(), EnqueueResult.Outcome.INSERTED);
    }

    private Instant due(NewMessage message) {
      Instant dueAt = message.dueAt();
      return dueAt == null ? memory.rules.dueAfter(memory.now(), message.delay()) : dueAt;
    }

    private MemoryRow insert(MemoryDraft draft) {
      NewMessage message = draft.message();
      MemoryRow row =
          new MemoryRow(
              memory.nextId(),
              message.topic(),
              message.orderingKey(),
              memory.now(),
              new MemoryRow.Content(draft.body().payload(), draft.body().headers()));
      row.priority = message.priority();
      row.batchId = message.batchId();
      place(row, due(message));
      open.add(new Insert(memory, row, draft.external()));
      return row;
    }

    private void place(MemoryRow row, Instant due) {
      row.dueAt = due;
      row.state = due.isAfter(memory.now()) ? MessageState.SCHEDULED : MemoryClaims.back(row);
    }

    private void replace(MemoryRow row, MemoryDraft draft, @Nullable Instant due) {
      row.payload = draft.body().payload();
      row.headers = draft.body().headers();
      row.priority = draft.message().priority();
      row.updatedAt = memory.now();
      boolean inGroup = row.state == MessageState.BLOCKED || row.state == MessageState.ARRIVING;
      if (due != null && !inGroup) {
        place(row, due);
      }
    }
  }

  /** Enqueues all copies of all messages of one call. */
  @Override
  protected Publications publish(TxSource source, Collection<NewMessage> messages) {
    List<NewMessage> copies = new ArrayList<>();
    for (NewMessage message : messages) {
      checkPublished(message);
      subscriptions.topics(message.topic().name()).stream()
          .map(topic -> copy(message, topic))
          .forEach(copies::add);
    }
    var offers = insert(source, copies).iterator();
    List<Publication> all = new ArrayList<>();
    for (NewMessage message : messages) {
      Map<Topic, MessageId> ids = new LinkedHashMap<>();
      subscriptions
          .topics(message.topic().name())
          .forEach(topic -> ids.put(topic, offers.next().id()));
      all.add(new Publication(message.topic(), ids));
    }
    return new Publications(all);
  }

  /** Validated and encoded even without subscriptions; a stream is read for each copy. */
  private void checkPublished(NewMessage message) {
    if (message.deduplication() != null) {
      throw new InvalidMessageException(
          "a message published under '%s' has a deduplication key, which publications do not support"
              .formatted(message.topic()));
    }
    if (!(message.payload() instanceof BodySource)) {
      MemoryDraft unused = draft(message);
    }
  }

  private static NewMessage copy(NewMessage message, Topic topic) {
    return message.withTopic(topic).withStoredHeader(Headers.SOURCE, message.topic().name());
  }

  /** No worker to notify. */
  @Override
  public MessageProducer notifying(WorkerNotifier notifier) {
    return this;
  }

  /** For payloads that are already encoded. */
  MemoryProducer unwrapped() {
    return wrapping(Wrapping.none());
  }

  @Override
  public MemoryProducer wrapping(Wrapping other) {
    return new MemoryProducer(memory, subscriptions, encoder.withWrapping(other));
  }

  /**
   * Not supported.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public MessageProducer storing(BodyStore store, long from) {
    throw memory.lacks("puts no payloads into a store");
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    EncodedBody body = encoder.body(message);
    return message.withStoredBody(body.payload(), body.headers());
  }
}
