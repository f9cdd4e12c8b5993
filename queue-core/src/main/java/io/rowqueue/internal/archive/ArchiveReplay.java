package io.rowqueue.internal.archive;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;

import io.rowqueue.MessageId;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.PayloadCodec;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues archived messages again, as new messages with new ids. Thread-safe. Every method throws
 * {@link io.rowqueue.QueueException} if the database still fails after all retries.
 */
public final class ArchiveReplay {

  private static final Table<?> BY_TOPIC = QUEUE_ARCHIVE.forceIndex("queue_archive_by_topic");

  /** Maximum size of a page's payloads, in bytes, so that it fits into memory. */
  private static final long MOST_BYTES = 8 << 20;

  private static final Field<Integer> BYTES =
      DSL.field("OCTET_LENGTH({0})", SQLDataType.INTEGER, QUEUE_ARCHIVE.PAYLOAD);

  /** A payload that was stored separately is deleted with its message. */
  private static final Condition IS_REPLAYABLE =
      DSL.not(Headers.isIn(QUEUE_ARCHIVE.HEADERS, Headers.BODY));

  private final Transactions transactions;

  /** Stores payloads as they were stored. */
  private final MessageProducer producer =
      MessageProducer.create(
          PayloadCodec.json(),
          new MessageLimits(Integer.MAX_VALUE, Integer.MAX_VALUE).withBodyAbove(Integer.MAX_VALUE));

  public ArchiveReplay(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Selects copies.
   *
   * @param since acknowledged at this time or later; null for any time
   * @param until acknowledged before this time; null for any time
   */
  public record Filter(Topic topic, @Nullable Instant since, @Nullable Instant until) {

    private Condition condition() {
      Condition all = QUEUE_ARCHIVE.TOPIC.eq(topic.name());
      if (since != null) {
        all =
            all.and(QUEUE_ARCHIVE.SETTLED_DAY.ge(day(since)))
                .and(QUEUE_ARCHIVE.SETTLED_AT.ge(since));
      }
      if (until != null) {
        all =
            all.and(QUEUE_ARCHIVE.SETTLED_DAY.le(day(until)))
                .and(QUEUE_ARCHIVE.SETTLED_AT.lt(until));
      }
      return all;
    }

    private static LocalDate day(Instant time) {
      return LocalDate.ofInstant(time, ZoneOffset.UTC);
    }
  }

  /** A copy's place in the order of a replay: by day of acknowledgement, then by id. */
  public record Position(LocalDate day, MessageId id) {

    private Condition next() {
      return QUEUE_ARCHIVE
          .SETTLED_DAY
          .gt(day)
          .or(QUEUE_ARCHIVE.SETTLED_DAY.eq(day).and(QUEUE_ARCHIVE.ID.gt(id.value())));
    }

    private Condition is() {
      return QUEUE_ARCHIVE.ID.eq(id.value()).and(QUEUE_ARCHIVE.SETTLED_DAY.eq(day));
    }

    /** The id of the message, for people. */
    @Override
    public String toString() {
      return id.toString();
    }
  }

  /** How many copies {@code filter} matches after {@code after}. */
  public long count(Filter filter, @Nullable Position after) {
    return transactions.read(
        dsl ->
            dsl.selectCount()
                .from(BY_TOPIC)
                .where(matching(filter, after))
                .fetchSingle(0, Long.class));
  }

  /**
   * How many copies a replay of {@code filter} after {@code after} would enqueue. Reads each copy,
   * not only the index.
   */
  public long countReplayable(Filter filter, @Nullable Position after) {
    return transactions.read(
        dsl ->
            dsl.selectCount()
                .from(BY_TOPIC)
                .where(matching(filter, after))
                .and(IS_REPLAYABLE)
                .fetchSingle(0, Long.class));
  }

  /** Whether a replay of the copy at {@code position} would enqueue it. */
  public boolean isReplayable(Position position) {
    return transactions.read(
        dsl ->
            dsl.fetchExists(
                DSL.selectOne().from(QUEUE_ARCHIVE).where(position.is()).and(IS_REPLAYABLE)));
  }

  /** The position of message {@code id}; empty if the archive has no copy of it. */
  public Optional<Position> find(MessageId id) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_ARCHIVE.SETTLED_DAY)
                .from(QUEUE_ARCHIVE)
                .where(QUEUE_ARCHIVE.ID.eq(id.value()))
                .orderBy(QUEUE_ARCHIVE.SETTLED_DAY.desc())
                .limit(1)
                .fetchOptional(row -> new Position(row.value1(), id)));
  }

  /**
   * The next copies that {@code filter} matches, with some megabytes of payloads at most, or one.
   *
   * @param after where the last page ended; null for the first page
   */
  public List<Position> page(Filter filter, @Nullable Position after, int most) {
    List<Position> page = new ArrayList<>();
    long bytes = 0;
    for (Record copy :
        transactions.read(
            dsl ->
                dsl.select(QUEUE_ARCHIVE.SETTLED_DAY, QUEUE_ARCHIVE.ID, BYTES)
                    .from(BY_TOPIC)
                    .where(matching(filter, after))
                    .orderBy(QUEUE_ARCHIVE.SETTLED_DAY, QUEUE_ARCHIVE.ID)
                    .limit(most)
                    .fetch())) {
      bytes += copy.get(BYTES);
      if (bytes > MOST_BYTES && !page.isEmpty()) {
        break;
      }
      page.add(
          new Position(
              copy.get(QUEUE_ARCHIVE.SETTLED_DAY), new MessageId(copy.get(QUEUE_ARCHIVE.ID))));
    }
    return page;
  }

  private static Condition matching(Filter filter, @Nullable Position after) {
    return after == null ? filter.condition() : filter.condition().and(after.next());
  }

  /**
   * Enqueues the copies at {@code positions} in one transaction, in their order. Skips copies that
   * are gone, and those whose payload was stored separately, which is deleted with its message.
   *
   * @return how many were enqueued
   */
  public int replay(List<Position> positions) {
    if (positions.isEmpty()) {
      return 0;
    }
    return transactions.run(
        Transition.ENQUEUE,
        tx -> {
          List<NewMessage> messages =
              tx
                  .dsl()
                  .select(
                      QUEUE_ARCHIVE.TOPIC,
                      QUEUE_ARCHIVE.PRIORITY,
                      QUEUE_ARCHIVE.HEADERS,
                      QUEUE_ARCHIVE.PAYLOAD,
                      QUEUE_ARCHIVE.ORDERING_KEY)
                  .from(QUEUE_ARCHIVE)
                  .where(DSL.or(positions.stream().map(Position::is).toList()))
                  .orderBy(QUEUE_ARCHIVE.SETTLED_DAY, QUEUE_ARCHIVE.ID)
                  .fetch(ArchiveReplay::message)
                  .stream()
                  .filter(message -> !message.headers().containsKey(Headers.BODY))
                  .toList();
          if (!messages.isEmpty()) {
            producer.enqueueAll(tx.connectionForProducers(), messages);
          }
          return messages.size();
        });
  }

  /** Without the header that awaits a result: the process that waited has its answer. */
  private static NewMessage message(Record copy) {
    Map<String, String> headers =
        new LinkedHashMap<>(Headers.parse(copy.get(QUEUE_ARCHIVE.HEADERS)));
    headers.remove(Headers.WAITER);
    byte[] payload = copy.get(QUEUE_ARCHIVE.PAYLOAD);
    NewMessage message =
        NewMessage.of(copy.get(QUEUE_ARCHIVE.TOPIC), payload)
            .withStoredBody(payload, headers)
            .withPriority(copy.get(QUEUE_ARCHIVE.PRIORITY));
    String orderingKey = copy.get(QUEUE_ARCHIVE.ORDERING_KEY);
    return orderingKey == null ? message : message.withOrderingKey(orderingKey);
  }
}
