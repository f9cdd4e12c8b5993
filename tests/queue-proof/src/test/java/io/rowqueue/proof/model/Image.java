package io.rowqueue.proof.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What all tables hold, as lines for people; two images are compared table by table. */
final class Image {

  private final Map<String, List<String>> tables = new TreeMap<>();

  Image with(String table, Stream<String> lines) {
    tables.put(table, lines.sorted().toList());
    return this;
  }

  /** Where {@code real} differs from this; empty where it does not. */
  String differences(Image real) {
    StringBuilder text = new StringBuilder();
    tables.forEach(
        (table, lines) -> describe(text, table, lines, real.tables.getOrDefault(table, List.of())));
    return text.toString();
  }

  private static void describe(
      StringBuilder text, String table, List<String> expected, List<String> found) {
    List<String> missing = minus(expected, found);
    List<String> surplus = minus(found, expected);
    if (!missing.isEmpty() || !surplus.isEmpty()) {
      text.append("  ").append(table).append('\n');
      missing.forEach(line -> text.append("    model:    ").append(line).append('\n'));
      surplus.forEach(line -> text.append("    database: ").append(line).append('\n'));
    }
  }

  private static List<String> minus(List<String> from, List<String> what) {
    List<String> rest = new ArrayList<>(from);
    what.forEach(rest::remove);
    return rest;
  }

  /**
   * Calls the messages of a play m1, m2 and so on, so that the same play reads the same each time.
   */
  static final class Names {

    private final Map<Long, String> names = new HashMap<>();

    String give(long id) {
      return names.computeIfAbsent(id, unnamed -> "m" + (names.size() + 1));
    }

    String of(long id) {
      return names.getOrDefault(id, "#" + id);
    }
  }
}
