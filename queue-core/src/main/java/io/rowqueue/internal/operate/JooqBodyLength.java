package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_CHUNK;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_REF;

import io.rowqueue.MessageId;
import java.math.BigDecimal;
import java.util.OptionalLong;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Computes the length of external payloads, in bytes. */
final class JooqBodyLength {

  private static final Field<Long> LENGTH =
      DSL.field("OCTET_LENGTH({0})", Long.class, QUEUE_PAYLOAD_CHUNK.BYTES);

  private JooqBodyLength() {}

  static OptionalLong of(DSLContext dsl, MessageId id) {
    @Nullable Long bytes = ofChunks(dsl, id);
    if (bytes == null) {
      bytes = stored(dsl, id);
    }
    return bytes == null ? OptionalLong.empty() : OptionalLong.of(bytes);
  }

  /** Adds up all chunks, because chunks that were written by SQL may have any length. */
  private static @Nullable Long ofChunks(DSLContext dsl, MessageId id) {
    @Nullable BigDecimal sum =
        dsl.select(DSL.sum(LENGTH))
            .from(QUEUE_PAYLOAD_CHUNK)
            .where(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID.eq(id.value()))
            .fetchSingle()
            .value1();
    return sum == null ? null : sum.longValueExact();
  }

  private static @Nullable Long stored(DSLContext dsl, MessageId id) {
    return dsl.select(QUEUE_PAYLOAD_REF.BYTES)
        .from(QUEUE_PAYLOAD_REF)
        .where(QUEUE_PAYLOAD_REF.MESSAGE_ID.eq(id.value()))
        .fetchOne(QUEUE_PAYLOAD_REF.BYTES);
  }
}
