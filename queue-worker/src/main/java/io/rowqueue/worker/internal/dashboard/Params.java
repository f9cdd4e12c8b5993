package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parameters of a query or a form. */
final class Params {

  static final Params NONE = new Params(Map.of());

  private final Map<String, List<String>> values;

  private Params(Map<String, List<String>> values) {
    this.values = values;
  }

  /**
   * Parses {@code a=1&b=2}.
   *
   * @throws Refusal if it is malformed
   */
  static Params of(@Nullable String encoded) {
    if (encoded == null || encoded.isEmpty()) {
      return NONE;
    }
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (String pair : encoded.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
      values.computeIfAbsent(name, any -> new ArrayList<>()).add(value);
    }
    return new Params(values);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, "Invalid request: malformed percent-encoding.");
    }
  }

  /** A parameter of a query. */
  record Part(String name, String value) {}

  /** Encodes a query. */
  static String query(List<Part> parts) {
    return parts.stream()
        .map(part -> OverviewPages.encoded(part.name()) + "=" + OverviewPages.encoded(part.value()))
        .collect(Collectors.joining("&"));
  }

  /** Returns its first value, trimmed; empty if there is none. */
  String text(String name) {
    List<String> all = all(name);
    return all.isEmpty() ? "" : all.get(0).strip();
  }

  /** Returns its first value untrimmed, since names in the database may begin with a space. */
  String raw(String name) {
    List<String> all = all(name);
    return all.isEmpty() ? "" : all.get(0);
  }

  /**
   * Returns the name of a topic; empty if there is none. A name that does not fit the column is
   * rejected, since the server would compare it with every row.
   *
   * @throws Refusal if the name does not fit the column
   */
  String topic() {
    String name = raw("topic");
    if (name.length() > Topic.MAX_LENGTH || name.chars().anyMatch(c -> c > 127)) {
      throw new Refusal(400, "Unknown topic.");
    }
    return name;
  }

  /** Returns them as a query in which {@code name} has this value. */
  String with(String name, String value) {
    Stream<Part> others = parts().filter(part -> !part.name().equals(name));
    return "?" + query(Stream.concat(others, Stream.of(new Part(name, value))).toList());
  }

  /** Returns them as a query; empty if there are none. */
  String encoded() {
    List<Part> parts = parts().toList();
    return parts.isEmpty() ? "" : "?" + query(parts);
  }

  private Stream<Part> parts() {
    return values.entrySet().stream()
        .filter(one -> !one.getKey().equals(Call.AGAIN))
        .flatMap(one -> one.getValue().stream().map(each -> new Part(one.getKey(), each)));
  }

  List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  /**
   * Returns the number; {@code other} if it is missing.
   *
   * @throws Refusal if it is not a number, or out of range
   */
  long number(String name, long other, long most) {
    String text = text(name);
    if (text.isEmpty()) {
      return other;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Rejected below, like a number that is out of range.
    }
    throw new Refusal(
        400, "“%s” must be a whole number from 0 to %s.".formatted(name, Texts.number(most)));
  }

  /**
   * Returns the UTC time of an input of type {@code datetime-local}; null if it is empty.
   *
   * @throws Refusal if it is malformed
   */
  @Nullable Instant time(String name) {
    String text = text(name);
    try {
      return text.isEmpty() ? null : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
    } catch (DateTimeParseException e) {
      throw new Refusal(
          400, "“%s” must be a time in UTC, such as 2026-11-28T02:00.".formatted(name));
    }
  }

  /** Returns when the form's page counted what is to be changed: {@code now} at the latest. */
  Instant counted(Instant now) {
    Instant counted = time("counted");
    return counted == null || counted.isAfter(now) ? now : counted;
  }

  /** Returns all message ids named {@code name}. */
  List<MessageId> ids(String name) {
    List<MessageId> ids = new ArrayList<>();
    for (String text : all(name)) {
      ids.add(id(text));
    }
    return ids;
  }

  /** Parses a message id. */
  static MessageId id(String text) {
    try {
      return new MessageId(Long.parseLong(text.strip()));
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, "“%s” is not a message id.".formatted(Texts.firstLine(text, 40)));
    }
  }
}
