package io.rowqueue.internal.body;

import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_CHUNK;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_REF;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.spi.BodyMissingException;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.BodyUnavailableException;
import io.rowqueue.spi.UnreadableException;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.Record3;
import org.jspecify.annotations.Nullable;

/** Never uses the handler's connection, where the handler may have an open result set. */
public final class JooqBodies implements Bodies {

  private final Transactions transactions;
  private final Map<String, BodyStore> stores;

  public JooqBodies(Transactions transactions, Set<BodyStore> stores) {
    this.transactions = transactions;
    this.stores = stores.stream().collect(Collectors.toMap(BodyStore::name, store -> store));
  }

  @Override
  public Body find(MessageId id, String place) {
    return switch (place) {
      case BodyLocations.ROWS -> () -> new Chunks(id);
      case BodyLocations.STORED -> stored(id);
      default ->
          throw new UnreadableException(
              "the payload of message %s is stored in '%s', which this worker does not support"
                  .formatted(id, place));
    };
  }

  private Body stored(MessageId id) {
    Record3<String, String, byte[]> row =
        ask(
            id,
            dsl ->
                dsl.select(
                        QUEUE_PAYLOAD_REF.STORE,
                        QUEUE_PAYLOAD_REF.REFERENCE,
                        QUEUE_PAYLOAD_REF.SHA256)
                    .from(QUEUE_PAYLOAD_REF)
                    .where(QUEUE_PAYLOAD_REF.MESSAGE_ID.eq(id.value()))
                    .fetchOne());
    if (row == null) {
      throw new BodyMissingException("message %s has no row in queue_payload_ref".formatted(id));
    }
    BodyStore store = stores.get(row.value1());
    if (store == null) {
      throw new UnreadableException(
          "the payload of message %s is in the store '%s', which this worker does not have"
              .formatted(id, row.value1()));
    }
    return () -> new StoredBody(store, row.value2(), row.value3());
  }

  private @Nullable Record3<byte[], Byte, byte[]> chunkOf(MessageId id, int seq) {
    return ask(
        id,
        dsl ->
            dsl.select(
                    QUEUE_PAYLOAD_CHUNK.BYTES,
                    QUEUE_PAYLOAD_CHUNK.IS_LAST,
                    QUEUE_PAYLOAD_CHUNK.SHA256)
                .from(QUEUE_PAYLOAD_CHUNK)
                .where(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID.eq(id.value()))
                .and(QUEUE_PAYLOAD_CHUNK.SEQ.eq(seq))
                .fetchOne());
  }

  private <T extends @Nullable Object> T ask(MessageId id, Function<DSLContext, T> query) {
    try {
      return transactions.read(query);
    } catch (DatabaseUnavailableException e) {
      throw new BodyUnavailableException(
          "the payload of message %s cannot be read: %s".formatted(id, e.getMessage()), e);
    }
  }

  /** Reads one chunk per statement. */
  private final class Chunks extends BodyStream {

    private final MessageId id;
    private int seq;
    private boolean last;
    private byte @Nullable [] sha256;

    Chunks(MessageId id) {
      this.id = id;
    }

    /** Skips empty chunks, because the pieces of a stream are not empty. */
    @Override
    byte @Nullable [] more() {
      byte[] bytes = null;
      while (!last && (bytes == null || bytes.length == 0)) {
        bytes = chunk();
      }
      return bytes == null || bytes.length == 0 ? null : bytes;
    }

    private byte[] chunk() {
      Record3<byte[], Byte, byte[]> row = chunkOf(id, seq);
      if (row == null) {
        throw new BodyMissingException(
            "chunk %d of the payload of message %s is not in queue_payload_chunk"
                .formatted(seq, id));
      }
      seq++;
      last = row.value2() != 0;
      sha256 = row.value3();
      return row.value1();
    }

    @Override
    byte @Nullable [] sha256() {
      return sha256;
    }
  }
}
