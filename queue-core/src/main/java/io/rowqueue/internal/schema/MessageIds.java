package io.rowqueue.internal.schema;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_BATCH_SHARD;
import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;
import static io.rowqueue.internal.table.Tables.QUEUE_CHAIN;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_DEDUPLICATION;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_CHUNK;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_REF;
import static io.rowqueue.internal.table.Tables.QUEUE_PROGRESS;
import static io.rowqueue.internal.table.Tables.QUEUE_RESULT;

import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.SortField;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.TableLike;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects ids that have started again. After a TRUNCATE, a restore, or a change of the table by a
 * tool that loses its AUTO_INCREMENT, new messages get ids for which other tables contain dead
 * letters, attempts, payloads and results of earlier messages.
 */
public final class MessageIds {

  private static final Logger LOG = LoggerFactory.getLogger(MessageIds.class);

  private static final String NEXT =
      "SELECT COALESCE(AUTO_INCREMENT, 1) FROM information_schema.TABLES WHERE TABLE_SCHEMA ="
          + " DATABASE() AND TABLE_NAME = 'queue_message'";

  /** Each is the first column of an index, so that its maximum is a single lookup. */
  private static final List<TableField<?, Long>> KNOWN =
      List.of(
          QUEUE_ATTEMPT.MESSAGE_ID,
          QUEUE_DEAD_LETTER.ID,
          QUEUE_ARCHIVE.ID,
          QUEUE_RESULT.MESSAGE_ID,
          QUEUE_PROGRESS.MESSAGE_ID,
          QUEUE_CANCEL_REQUEST.MESSAGE_ID,
          QUEUE_PAYLOAD_CHUNK.MESSAGE_ID,
          QUEUE_PAYLOAD_REF.MESSAGE_ID);

  /**
   * Other columns with message ids, and the primary keys of their tables: hashes, which are in no
   * order of the ids, or numbers, of which the highest come first. The start of an index is a
   * sample whose maximum is near the table's.
   */
  private static final List<Map.Entry<TableField<?, Long>, SortField<?>>> SAMPLED =
      List.of(
          Map.entry(QUEUE_DEDUPLICATION.MESSAGE_ID, QUEUE_DEDUPLICATION.DEDUP_ID.asc()),
          Map.entry(QUEUE_ORDERING_GROUP.MESSAGE_ID, QUEUE_ORDERING_GROUP.GROUP_ID.asc()),
          Map.entry(QUEUE_ORDERING_MEMBER.MESSAGE_ID, QUEUE_ORDERING_MEMBER.GROUP_ID.asc()),
          Map.entry(QUEUE_CHAIN.MESSAGE_ID, QUEUE_CHAIN.ID.desc()),
          Map.entry(QUEUE_BATCH_SHARD.FIRST_MESSAGE, QUEUE_BATCH_SHARD.ID.desc()));

  private static final int SAMPLE = 1_000;

  private MessageIds() {}

  /**
   * Ids that have started again.
   *
   * @param next the id of the next message
   * @param highest the highest id in another table
   */
  public record Restarted(long next, long highest) {

    @Override
    public String toString() {
      return "the next message would get id %d, although other tables contain ids up to %d (was queue_message truncated or restored?)"
          .formatted(next, highest);
    }
  }

  /**
   * Compares the id of the next message with the ids in other tables.
   *
   * @return null if they are all below it
   * @throws io.rowqueue.DatabaseUnavailableException if they cannot be read
   */
  public static @Nullable Restarted find(Transactions transactions) {
    return transactions.read(dsl -> find(dsl, transactions.dialect()));
  }

  /**
   * If ids have started again, raises the next id above those in other tables, and logs it. It
   * inserts and deletes a row with the highest id: that needs only a worker's privileges, and is
   * replicated to other nodes.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if it fails
   */
  public static void raise(Transactions transactions) {
    Restarted restarted = find(transactions);
    if (restarted == null) {
      return;
    }
    transactions.run(Transition.REGISTER, tx -> raise(tx.dsl(), restarted));
    LOG.warn(
        "{}; it now gets id {}. Messages that were enqueued in between keep their ids, and may be"
            + " mixed up with rows of earlier messages",
        restarted,
        restarted.highest() + 1);
  }

  private static @Nullable Restarted find(DSLContext dsl, ServerDialect dialect) {
    long known = highest(dsl, MessageIds::ofSample);
    // Otherwise MySQL's view may be a day old.
    long next =
        dialect == ServerDialect.MYSQL
            ? SessionSettings.with(dsl, "information_schema_stats_expiry", 0, () -> next(dsl))
            : next(dsl);
    return next > known
        ? null
        : new Restarted(next, highest(dsl, (id, order) -> of(id, id.getTable())));
  }

  private static long highest(
      DSLContext dsl, BiFunction<TableField<?, Long>, SortField<?>, Field<Long>> sampled) {
    Field<Long> highest =
        Stream.concat(
                KNOWN.stream().map(id -> of(id, id.getTable())),
                SAMPLED.stream().map(each -> sampled.apply(each.getKey(), each.getValue())))
            .reduce((one, other) -> DSL.greatest(one, other))
            .orElseThrow();
    return dsl.select(highest).fetchSingle().value1();
  }

  private static Field<Long> of(Field<Long> id, @Nullable TableLike<?> rows) {
    return DSL.coalesce(DSL.field(DSL.select(DSL.max(id)).from(Objects.requireNonNull(rows))), 0L);
  }

  private static Field<Long> ofSample(TableField<?, Long> id, SortField<?> order) {
    Field<Long> sampled = id.as("id");
    Table<?> sample =
        DSL.select(sampled)
            .from(id.getTable())
            .orderBy(order)
            .limit(DSL.inline(SAMPLE))
            .asTable("sample");
    return of(Objects.requireNonNull(sample.field(sampled)), sample);
  }

  private static long next(DSLContext dsl) {
    return dsl.fetchSingle(NEXT).get(0, Long.class);
  }

  private static int raise(DSLContext dsl, Restarted restarted) {
    int inserted =
        dsl.insertInto(QUEUE_MESSAGE)
            .set(QUEUE_MESSAGE.ID, restarted.highest())
            .set(QUEUE_MESSAGE.TOPIC, "rowqueue.ids")
            .set(QUEUE_MESSAGE.PAYLOAD, new byte[0])
            .onDuplicateKeyIgnore()
            .execute();
    return inserted == 0
        ? 0
        : dsl.deleteFrom(QUEUE_MESSAGE).where(QUEUE_MESSAGE.ID.eq(restarted.highest())).execute();
  }
}
