package io.rowqueue.internal.database;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Times as parameters and in rows of plain JDBC. Producers use it without jOOQ on the class path.
 *
 * <p>An instant is bound as text, and the server converts it to {@code DATETIME(6)}. A driver that
 * is given a time may shift it between time zones, and Connector/J drops its fraction of a second
 * if it takes the server for an old one: MariaDB 10 greets as 5.5.5. It is read as a {@link
 * LocalDateTime}, which no driver shifts. Precision is the microsecond. Thread-safe.
 */
public final class UtcText {

  /** A parameter for a time in SQL text. */
  public static final String PARAMETER = "CAST(? AS DATETIME(6))";

  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  private UtcText() {}

  /** {@code time} as the value of a {@link #PARAMETER}, rounded to the microsecond. */
  public static String of(LocalDateTime time) {
    return TEXT.format(time.plusNanos(500));
  }

  /** The instant in a column of {@code row}, which must not be null. */
  public static Instant read(ResultSet row, int column) throws SQLException {
    return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
  }
}
