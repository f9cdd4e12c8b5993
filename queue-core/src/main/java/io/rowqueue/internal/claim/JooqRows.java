package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.database.UtcText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Field;
import org.jooq.SelectField;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows that a claim takes: hundreds at a time, therefore by JDBC and by position. Payload
 * and headers are read with the row if they are small; large ones are read separately.
 */
final class JooqRows {

  /** A number, because it is cheaper to read than a time, hundreds of times per claim. */
  private static final Field<Long> DELAY_MICROS =
      DSL.field(
              "TIMESTAMPDIFF(MICROSECOND, {0}, {1})",
              Long.class, QUEUE_MESSAGE.CREATED_AT, QUEUE_MESSAGE.DUE_AT)
          .as("delay_micros");

  private static final Field<Boolean> DUE_LATER = DSL.field(JooqMessages.IS_LATER).as("due_later");

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

  static final List<SelectField<?>> COLUMNS =
      List.of(
          QUEUE_MESSAGE.ID,
          QUEUE_MESSAGE.PRIORITY,
          QUEUE_MESSAGE.CLAIM_NUMBER,
          QUEUE_MESSAGE.ATTEMPTS,
          QUEUE_MESSAGE.LOST_CLAIMS,
          QUEUE_MESSAGE.CREATED_AT,
          DELAY_MICROS,
          DUE_LATER,
          QUEUE_MESSAGE.ORDERING_KEY,
          QUEUE_MESSAGE.BATCH_ID,
          PAYLOAD_BYTES,
          HEADERS_BYTES,
          PAYLOAD,
          HEADERS);

  private static final int ID_AT = at(QUEUE_MESSAGE.ID);
  private static final int PRIORITY_AT = at(QUEUE_MESSAGE.PRIORITY);
  private static final int CLAIMS_AT = at(QUEUE_MESSAGE.CLAIM_NUMBER);
  private static final int ATTEMPTS_AT = at(QUEUE_MESSAGE.ATTEMPTS);
  private static final int LOST_AT = at(QUEUE_MESSAGE.LOST_CLAIMS);
  private static final int CREATED_AT_AT = at(QUEUE_MESSAGE.CREATED_AT);
  private static final int DELAY_AT = at(DELAY_MICROS);
  private static final int DUE_LATER_AT = at(DUE_LATER);
  private static final int ORDERING_KEY_AT = at(QUEUE_MESSAGE.ORDERING_KEY);
  private static final int BATCH_ID_AT = at(QUEUE_MESSAGE.BATCH_ID);
  private static final int PAYLOAD_BYTES_AT = at(PAYLOAD_BYTES);
  private static final int HEADERS_BYTES_AT = at(HEADERS_BYTES);
  private static final int PAYLOAD_AT = at(PAYLOAD);
  private static final int HEADERS_AT = at(HEADERS);

  private JooqRows() {}

  private static int at(SelectField<?> column) {
    return COLUMNS.indexOf(column) + 1;
  }

  /** Reads the rows of a query for {@link #COLUMNS}. */
  static List<ClaimableRow> read(ResultSet rows) throws SQLException {
    List<ClaimableRow> read = new ArrayList<>();
    while (rows.next()) {
      read.add(
          new ClaimableRow(
              rows.getLong(ID_AT),
              rows.getByte(PRIORITY_AT),
              rows.getInt(CLAIMS_AT),
              rows.getInt(ATTEMPTS_AT),
              rows.getInt(LOST_AT),
              UtcText.read(rows, CREATED_AT_AT),
              delay(rows),
              rows.getBoolean(DUE_LATER_AT),
              rows.getString(ORDERING_KEY_AT),
              batchId(rows),
              inline(rows)));
    }
    return read;
  }

  private static Duration delay(ResultSet row) throws SQLException {
    long micros = row.getLong(DELAY_AT);
    return micros > 0 ? Duration.of(micros, ChronoUnit.MICROS) : Duration.ZERO;
  }

  private static @Nullable Long batchId(ResultSet row) throws SQLException {
    long value = row.getLong(BATCH_ID_AT);
    return row.wasNull() ? null : value;
  }

  /** The body as read by the claim; not loaded if either part was too large. */
  private static Body inline(ResultSet row) throws SQLException {
    long payloadBytes = row.getLong(PAYLOAD_BYTES_AT);
    long headersBytes = row.getLong(HEADERS_BYTES_AT);
    if (payloadBytes > Body.INLINE_BYTES || headersBytes > Body.INLINE_BYTES) {
      return new Body(false, new byte[0], null, payloadBytes, headersBytes);
    }
    return new Body(
        true, row.getBytes(PAYLOAD_AT), row.getString(HEADERS_AT), payloadBytes, headersBytes);
  }
}
