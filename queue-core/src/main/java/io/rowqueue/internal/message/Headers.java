package io.rowqueue.internal.message;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.PayloadException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** Headers as stored in the {@code headers} column: a flat JSON object of strings. Thread-safe. */
public final class Headers {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** The prefix of names that are reserved for RowQueue, in upper or lower case. */
  public static final String RESERVED = "rowqueue-";

  /** The wrappers of the payload: their names separated by commas, the outermost last. */
  public static final String WRAPPED = RESERVED + "wrapped";

  /** The version of the payload; without it, the first. */
  public static final String VERSION = RESERVED + "version";

  /** The source that the message was published under; enqueued messages have none. */
  public static final String SOURCE = RESERVED + "source";

  /** The location of an external payload. */
  public static final String BODY = RESERVED + "body";

  /** The process that awaits the handler's result. */
  public static final String WAITER = RESERVED + "waiter";

  /** The maximum size of the headers carried to the next step of a chain, in bytes of JSON. */
  public static final int MOST_CARRIED = 16 << 10;

  private Headers() {}

  /** Whether a row has all of {@code headers}. Those that SQL wrote may not be JSON. */
  public static Condition areIn(Field<String> column, Map<String, String> headers) {
    return DSL.condition(
        "CASE WHEN JSON_VALID({0}) THEN JSON_CONTAINS({0}, {1}) ELSE 0 END = 1",
        column, DSL.val(toJson(headers), SQLDataType.CLOB));
  }

  /** Whether a row has the header {@code name}. Those that SQL wrote may not be JSON. */
  public static Condition isIn(Field<String> column, String name) {
    return DSL.condition(
        "CASE WHEN JSON_VALID({0}) THEN JSON_CONTAINS_PATH({0}, 'one', {1}) ELSE 0 END = 1",
        column, DSL.val("$.\"" + name + '"'));
  }

  /**
   * Adds a header to {@code carried}, the headers for the next step of a chain, or replaces the one
   * of that name. Checks the size here, where the handler gets the error.
   *
   * @throws InvalidMessageException if {@code name} is reserved, or the headers together are too
   *     long
   */
  public static void carry(Map<String, String> carried, String name, String value) {
    if (isReserved(name)) {
      throw new InvalidMessageException(
          "header '%s' cannot be carried: names that begin with %s are reserved for RowQueue; choose another"
              .formatted(name, RESERVED));
    }
    Map<String, String> all = new LinkedHashMap<>(carried);
    all.put(name, Objects.requireNonNull(value, "value"));
    int bytes = Objects.requireNonNull(toJson(all)).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MOST_CARRIED) {
      throw new InvalidMessageException(
          "header '%s' cannot be carried: the next step would get %,d bytes of carried headers, over the limit of %,d; store the rest in a table and carry its key"
              .formatted(name, bytes, MOST_CARRIED));
    }
    carried.put(name, value);
  }

  public static boolean isReserved(String name) {
    return name.regionMatches(true, 0, RESERVED, 0, RESERVED.length());
  }

  /**
   * The JSON of {@code headers}; null if there are none.
   *
   * @throws InvalidMessageException if a name or a value is not valid Unicode
   */
  public static @Nullable String toJson(Map<String, String> headers) {
    if (headers.isEmpty()) {
      return null;
    }
    headers.forEach(
        (name, value) -> {
          StoredText.checkUnicode("the name of a header", name);
          StoredText.checkUnicode("header '%s'".formatted(name), value);
        });
    try {
      return MAPPER.writeValueAsString(headers);
    } catch (JsonProcessingException e) {
      throw new InvalidMessageException("the headers cannot be written as JSON", e);
    }
  }

  /**
   * Parses the headers in {@code json}; unmodifiable, empty for null. Converts numbers and booleans
   * to strings, for rows that were written in SQL.
   *
   * @throws PayloadException if {@code json} is not a flat object
   */
  public static Map<String, String> parse(@Nullable String json) {
    if (json == null || json.isBlank()) {
      return Map.of();
    }
    try {
      Map<String, String> headers =
          MAPPER.readValue(json, new TypeReference<LinkedHashMap<String, String>>() {});
      if (headers == null) {
        return Map.of();
      }
      return java.util.Collections.unmodifiableMap(headers);
    } catch (JsonProcessingException e) {
      throw new PayloadException(
          "the headers are not a flat JSON object of strings: " + e.getOriginalMessage(), e);
    }
  }
}
