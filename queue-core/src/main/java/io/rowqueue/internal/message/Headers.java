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
import org.jspecify.annotations.Nullable;

/** Headers as the {@code headers} column holds them: one flat JSON object of texts. Thread-safe. */
public final class Headers {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /** Names that begin with this, in small letters or capitals, are RowQueue's own. */
  public static final String RESERVED = "rowqueue-";

  /** What was done to the payload: names of wrappers, separated by commas, the outermost last. */
  public static final String WRAPPED = RESERVED + "wrapped";

  /** Which version of its payload the message has; without it, the first. */
  public static final String VERSION = RESERVED + "version";

  /** Under which source it was published; whoever was enqueued has none. */
  public static final String SOURCE = RESERVED + "source";

  /** Where the payload lies, if not in its row. */
  public static final String BODY = RESERVED + "body";

  /** Which process awaits what its handler gives back. */
  public static final String WAITER = RESERVED + "waiter";

  /** What a handler may carry to the next step of a chain, in bytes of the JSON. */
  public static final int MOST_CARRIED = 16 << 10;

  private Headers() {}

  /**
   * Adds a header to {@code carried}, which go to the next step of a chain, or replaces the one of
   * that name. They are limited here, where somebody can be told, and not at the next step.
   *
   * @throws InvalidMessageException if {@code name} is reserved, or all of them are too long
   */
  public static void carry(Map<String, String> carried, String name, String value) {
    if (isReserved(name)) {
      throw new InvalidMessageException(
          "header '%s' cannot be carried: names that begin with %s are RowQueue's own; choose another"
              .formatted(name, RESERVED));
    }
    Map<String, String> all = new LinkedHashMap<>(carried);
    all.put(name, Objects.requireNonNull(value, "value"));
    int bytes = Objects.requireNonNull(toJson(all)).getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MOST_CARRIED) {
      throw new InvalidMessageException(
          "header '%s' cannot be carried: the next step would get %,d bytes of carried headers, over the limit of %,d; write the rest to a table, and carry its key"
              .formatted(name, bytes, MOST_CARRIED));
    }
    carried.put(name, value);
  }

  /** Whether {@code name} is one that only RowQueue sets. */
  public static boolean isReserved(String name) {
    return name.regionMatches(true, 0, RESERVED, 0, RESERVED.length());
  }

  /** The JSON of {@code headers}, or null if there are none. */
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
   * The headers that {@code json} holds; unmodifiable, empty for null. Numbers and booleans become
   * their text, so that rows written by hand in SQL read as meant.
   *
   * @throws PayloadException if {@code json} is not one flat object
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
          "the headers are no flat JSON object of texts: " + e.getOriginalMessage(), e);
    }
  }
}
