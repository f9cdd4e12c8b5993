package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.internal.message.TopicNames;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value of a {@code T}: one list of columns makes the table, the lines about one {@code T}, and
 * the JSON, whose names are kept from version to version.
 *
 * @param where what shows it
 * @param header the head of its column, or the label of its line; null if people do not get it
 * @param json its name in JSON; null if programs do not get it
 * @param value reads it; null is a dash, or null
 */
record Column<T>(
    Where where,
    @Nullable String header,
    @Nullable String json,
    Function<? super T, ? extends @Nullable Object> value) {

  private static final JsonMapper JSON = new JsonMapper();

  /** What shows a column, in addition to JSON. */
  enum Where {
    /** Table, at the left, and lines. */
    LEFT,
    /** Table, at the right, and lines. */
    RIGHT,
    /** The table alone. */
    TABLE,
    /** The lines alone. */
    LINE,
    /** The lines, if it is not null. */
    OPTIONAL,
    /** Nothing. */
    JSON
  }

  static <T> Column<T> left(
      String header, @Nullable String json, Function<? super T, ? extends @Nullable Object> value) {
    return new Column<>(Where.LEFT, header, json, value);
  }

  static <T> Column<T> right(
      String header, @Nullable String json, Function<? super T, ? extends @Nullable Object> value) {
    return new Column<>(Where.RIGHT, header, json, value);
  }

  static <T> Column<T> inTable(
      String header, Function<? super T, ? extends @Nullable Object> value) {
    return new Column<>(Where.TABLE, header, null, value);
  }

  static <T> Column<T> inLines(
      String label, @Nullable String json, Function<? super T, ? extends @Nullable Object> value) {
    return new Column<>(Where.LINE, label, json, value);
  }

  static <T> Column<T> optional(
      String label, @Nullable String json, Function<? super T, ? extends @Nullable Object> value) {
    return new Column<>(Where.OPTIONAL, label, json, value);
  }

  static <T> Column<T> inJson(String name, Function<? super T, ? extends @Nullable Object> value) {
    return new Column<>(Where.JSON, null, name, value);
  }

  /** This column for an {@code S} that contains a {@code T}. */
  <S> Column<S> of(Function<S, T> part) {
    return new Column<>(where, header, json, whole -> value.apply(part.apply(whole)));
  }

  static <T> String table(List<T> all, List<Column<T>> columns, String none) {
    if (all.isEmpty()) {
      return none;
    }
    List<Column<T>> shown =
        columns.stream()
            .filter(each -> each.header != null && each.where.compareTo(Where.TABLE) <= 0)
            .toList();
    List<List<String>> rows = new ArrayList<>();
    rows.add(shown.stream().map(Column::header).toList());
    for (T one : all) {
      rows.add(shown.stream().map(each -> text(each.value.apply(one), true)).toList());
    }
    return TextTable.aligned(rows, column -> shown.get(column).where == Where.RIGHT);
  }

  static <T> String lines(T one, List<Column<T>> columns) {
    List<List<String>> rows = new ArrayList<>();
    for (Column<T> column : columns) {
      Object value = column.value.apply(one);
      String header = column.header;
      boolean left = column.where == Where.OPTIONAL && value == null;
      if (header != null && column.where != Where.TABLE && !left) {
        rows.add(List.of(header.toLowerCase(Locale.ROOT), text(value, false)));
      }
    }
    return TextTable.aligned(rows);
  }

  static <T> void fill(ObjectNode node, T one, List<Column<T>> columns) {
    for (Column<T> column : columns) {
      if (column.json != null) {
        node.set(column.json, JSON.valueToTree(plain(column.value.apply(one))));
      }
    }
  }

  static <T> ArrayNode nodes(List<T> all, List<Column<T>> columns) {
    ArrayNode nodes = JsonNodeFactory.instance.arrayNode();
    all.forEach(one -> fill(nodes.addObject(), one, columns));
    return nodes;
  }

  private static String text(@Nullable Object value, boolean shortTime) {
    if (value instanceof Boolean yes) {
      return yes ? "yes" : "no";
    }
    if (value instanceof Instant time && shortTime) {
      return TextTable.time(time);
    }
    if (value instanceof Duration age) {
      return TextTable.age(age);
    }
    if (value instanceof List<?> names) {
      return TopicNames.join(names.stream().map(Object::toString).toList());
    }
    return value == null ? "-" : TextTable.printable(value.toString());
  }

  private static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Duration duration) {
      return duration.toMillis() / 1_000.0;
    }
    return value instanceof Instant time ? time.toString() : value;
  }
}
