package io.rowqueue.internal.database;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Texts that reach their columns unchanged, whatever the character set of the connection: a
 * producer's may be latin1, for which a driver replaces characters by question marks.
 */
public final class Utf8Text {

  /** The parameter for such a text. */
  public static final String PARAMETER = "CONVERT(CAST(? AS BINARY) USING utf8mb4)";

  private Utf8Text() {}

  /** The parameter for {@code text}: a plain one if every character set contains its characters. */
  public static String parameter(@Nullable String text) {
    return isPlain(text) ? "?" : PARAMETER;
  }

  /**
   * Binds {@code text} to the parameter that {@link #parameter} returned for it, or to {@link
   * #PARAMETER}.
   */
  public static void bind(PreparedStatement statement, int parameter, @Nullable String text)
      throws SQLException {
    statement.setObject(parameter, value(text));
  }

  /** The value of the parameter {@link #PARAMETER} for {@code text}. */
  public static @Nullable Object value(@Nullable String text) {
    return text == null || isPlain(text) ? text : text.getBytes(StandardCharsets.UTF_8);
  }

  /** Reads column {@code column}, which was selected by {@code CAST(... AS BINARY)}. */
  public static @Nullable String read(ResultSet row, int column) throws SQLException {
    byte[] bytes = row.getBytes(column);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static boolean isPlain(@Nullable String text) {
    return text == null || text.chars().allMatch(character -> character < 0x80);
  }
}
