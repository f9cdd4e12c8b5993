package io.rowqueue.internal.seal;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_CHAIN_STEP;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_CHUNK;
import static io.rowqueue.internal.table.Tables.QUEUE_RESULT;
import static io.rowqueue.internal.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.KeyUse;
import io.rowqueue.operate.KeysInUse;
import io.rowqueue.spi.KeyId;
import io.rowqueue.spi.Sealed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectSeekStepN;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

public final class JooqKeysInUse implements KeysInUse {

  private static final int ROWS_A_READ = 1_000;

  private static final Holder DEAD_LETTERS =
      holder(QUEUE_DEAD_LETTER.HEADERS, QUEUE_DEAD_LETTER.PAYLOAD, QUEUE_DEAD_LETTER.ID);

  /**
   * In the order in which payloads move, so that one that moves between two reads is found.
   * Messages become dead letters, and dead letters messages.
   */
  private static final List<Holder> HOLDERS =
      List.of(
          holder(QUEUE_SCHEDULE.HEADERS, QUEUE_SCHEDULE.PAYLOAD, QUEUE_SCHEDULE.NAME),
          holder(QUEUE_BATCH.HEADERS, QUEUE_BATCH.PAYLOAD, QUEUE_BATCH.ID),
          holder(
              QUEUE_CHAIN_STEP.HEADERS,
              QUEUE_CHAIN_STEP.PAYLOAD,
              QUEUE_CHAIN_STEP.CHAIN_ID,
              QUEUE_CHAIN_STEP.STEP),
          DEAD_LETTERS,
          holder(QUEUE_MESSAGE.HEADERS, QUEUE_MESSAGE.PAYLOAD, QUEUE_MESSAGE.ID),
          DEAD_LETTERS,
          holder(QUEUE_ARCHIVE.HEADERS, QUEUE_ARCHIVE.PAYLOAD, QUEUE_ARCHIVE.ID),
          holder(QUEUE_RESULT.HEADERS, QUEUE_RESULT.CONTENT, QUEUE_RESULT.MESSAGE_ID));

  private static final Comparator<KeyUse> BY_KEY_AND_TABLE =
      Comparator.comparing(
              JooqKeysInUse::keyText, Comparator.nullsLast(Comparator.<String>naturalOrder()))
          .thenComparing(KeyUse::table);

  private final Transactions transactions;

  public JooqKeysInUse(Transactions transactions) {
    this.transactions = transactions;
  }

  private static @Nullable String keyText(KeyUse use) {
    KeyId key = use.key();
    return key == null ? null : key.toString();
  }

  @Override
  public List<KeyUse> find() {
    Map<KeyUse, Long> most = new HashMap<>();
    for (Holder holder : HOLDERS) {
      for (KeyUse use : in(holder)) {
        most.merge(new KeyUse(use.table(), use.key(), 0), use.payloads(), Math::max);
      }
    }
    return most.entrySet().stream()
        .map(each -> new KeyUse(each.getKey().table(), each.getKey().key(), each.getValue()))
        .sorted(BY_KEY_AND_TABLE)
        .toList();
  }

  private List<KeyUse> in(Holder holder) {
    Map<@Nullable KeyId, Long> payloads = new HashMap<>();
    List<? extends Record> rows = page(holder, null);
    while (!rows.isEmpty()) {
      keys(holder, rows).forEach(key -> payloads.merge(key, 1L, Long::sum));
      rows = rows.size() < ROWS_A_READ ? List.of() : page(holder, rows.get(rows.size() - 1));
    }
    return payloads.entrySet().stream()
        .map(each -> new KeyUse(holder.table().getName(), each.getKey(), each.getValue()))
        .toList();
  }

  /** The key of each encrypted payload of {@code rows}. */
  private List<@Nullable KeyId> keys(Holder holder, List<? extends Record> rows) {
    List<@Nullable KeyId> keys = new ArrayList<>();
    List<Long> external = new ArrayList<>();
    for (Record row : rows) {
      Seal seal = Seal.of(row.get(holder.mark()), row.get(holder.beginning()));
      switch (seal.place()) {
        case NONE -> {}
        case HERE -> keys.add(seal.key());
        case EXTERNAL -> external.add(row.get(0, Long.class));
      }
    }
    if (!external.isEmpty()) {
      keys.addAll(storedSeparately(external));
    }
    return keys;
  }

  private List<? extends Record> page(Holder holder, @Nullable Record last) {
    return transactions.read(
        dsl -> {
          SelectSeekStepN<Record> rows =
              dsl.select(holder.fields())
                  .from(holder.table().forceIndex("PRIMARY"))
                  .orderBy(holder.key());
          return last == null
              ? rows.limit(ROWS_A_READ).fetch()
              : rows.seek(holder.keyOf(last)).limit(ROWS_A_READ).fetch();
        });
  }

  /** For messages with separately stored payloads; the payloads of archived copies may be gone. */
  private List<@Nullable KeyId> storedSeparately(List<Long> messages) {
    return transactions.read(
        dsl ->
            dsl.select(beginning(QUEUE_PAYLOAD_CHUNK.BYTES))
                .from(QUEUE_PAYLOAD_CHUNK.forceIndex("PRIMARY"))
                .where(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID.in(messages))
                .and(QUEUE_PAYLOAD_CHUNK.SEQ.eq(0))
                .fetch(row -> Seal.key(row.value1())));
  }

  private static Holder holder(
      TableField<?, String> headers, TableField<?, byte[]> payload, TableField<?, ?>... key) {
    return new Holder(
        headers.getTable(),
        List.of(key),
        DSL.when(headers.contains(Headers.WRAPPED), headers).as("mark"),
        beginning(payload));
  }

  /** As many bytes as contain the key id. */
  private static Field<byte[]> beginning(Field<byte[]> payload) {
    return DSL.field("LEFT({0}, {1})", SQLDataType.BLOB, payload, DSL.inline(KeyId.PREFIX_BYTES))
        .as("beginning");
  }

  /**
   * A table that contains payloads.
   *
   * @param key its primary key, or enough of it to identify its rows
   * @param mark the headers if they may have a mark, else null
   * @param beginning of the payload
   */
  private record Holder(
      Table<?> table, List<TableField<?, ?>> key, Field<String> mark, Field<byte[]> beginning) {

    List<Field<?>> fields() {
      List<Field<?>> fields = new ArrayList<>(key);
      fields.add(mark);
      fields.add(beginning);
      return fields;
    }

    Object[] keyOf(Record row) {
      return key.stream().map(row::get).toArray();
    }
  }

  /**
   * What a row reveals about the encryption of its payload.
   *
   * @param place where the encrypted bytes are stored
   * @param key the key that encrypted them; null if the row does not contain it
   */
  private record Seal(Place place, @Nullable KeyId key) {

    /** Where encrypted bytes are stored. */
    enum Place {
      /** The payload is not encrypted. */
      NONE,
      /** In the row, or in a place that cannot be read here. */
      HERE,
      /** In rows of their own. */
      EXTERNAL
    }

    private static final Seal NONE = new Seal(Place.NONE, null);
    private static final Seal UNTOLD = new Seal(Place.HERE, null);
    private static final Seal EXTERNAL = new Seal(Place.EXTERNAL, null);

    /** For a row with these headers whose payload has this beginning. */
    static Seal of(@Nullable String headers, byte @Nullable [] beginning) {
      Map<String, String> read = read(headers);
      List<String> wrappers = List.of(read.getOrDefault(Headers.WRAPPED, "").split(",", -1));
      if (!wrappers.contains(Sealed.NAME)) {
        return NONE;
      }
      if (!wrappers.get(wrappers.size() - 1).equals(Sealed.NAME)) {
        return UNTOLD;
      }
      String body = read.get(Headers.BODY);
      if (body != null) {
        return body.equals(BodyLocations.ROWS) ? EXTERNAL : UNTOLD;
      }
      return new Seal(Place.HERE, key(beginning));
    }

    /** Invalid headers cannot be read by any worker, whatever keys it has. */
    private static Map<String, String> read(@Nullable String headers) {
      try {
        return Headers.parse(headers);
      } catch (PayloadException e) {
        return Map.of();
      }
    }

    /**
     * The key that encrypted a payload with this beginning; null if it is not an encrypted payload.
     */
    static @Nullable KeyId key(byte @Nullable [] beginning) {
      if (beginning == null) {
        return null;
      }
      try {
        return KeyId.of(beginning);
      } catch (PayloadException e) {
        return null;
      }
    }
  }
}
