package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.database.DatabaseClock;
import java.util.List;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectField;
import org.jooq.impl.DSL;

/** Reads payload and headers: small ones along with a claim, large ones alone. */
final class JooqBodies {

  static final Field<Boolean> DUE_LATER =
      DSL.field(QUEUE_MESSAGE.DUE_AT.gt(DatabaseClock.now())).as("due_later");

  private static final Field<Long> PAYLOAD_BYTES =
      DSL.field("OCTET_LENGTH({0})", Long.class, QUEUE_MESSAGE.PAYLOAD).as("payload_bytes");
  private static final Field<Long> HEADERS_BYTES =
      DSL.field("OCTET_LENGTH(COALESCE({0}, ''))", Long.class, QUEUE_MESSAGE.HEADERS)
          .as("headers_bytes");
  private static final Field<byte[]> PAYLOAD =
      DSL.field(
              "CASE WHEN OCTET_LENGTH({0}) <= {1} THEN {0} END",
              byte[].class, QUEUE_MESSAGE.PAYLOAD, DSL.inline(Body.INLINE_BYTES))
          .as("payload");
  private static final Field<String> HEADERS =
      DSL.field(
              "CASE WHEN OCTET_LENGTH({0}) <= {1} THEN {0} END",
              String.class, QUEUE_MESSAGE.HEADERS, DSL.inline(Body.INLINE_BYTES))
          .as("headers");

  static final List<SelectField<?>> CLAIM_COLUMNS =
      List.of(
          QUEUE_MESSAGE.ID,
          QUEUE_MESSAGE.PRIORITY,
          QUEUE_MESSAGE.CLAIMS,
          QUEUE_MESSAGE.ATTEMPTS,
          QUEUE_MESSAGE.LOST,
          QUEUE_MESSAGE.CREATED_AT,
          DUE_LATER,
          PAYLOAD_BYTES,
          HEADERS_BYTES,
          PAYLOAD,
          HEADERS);

  private JooqBodies() {}

  /** The body as a claim read it; not loaded if either part was too large. */
  static Body inline(Record row) {
    long payloadBytes = row.get(PAYLOAD_BYTES);
    long headersBytes = row.get(HEADERS_BYTES);
    if (payloadBytes > Body.INLINE_BYTES || headersBytes > Body.INLINE_BYTES) {
      return new Body(false, new byte[0], null, payloadBytes, headersBytes);
    }
    return new Body(true, row.get(PAYLOAD), row.get(HEADERS), payloadBytes, headersBytes);
  }
}
