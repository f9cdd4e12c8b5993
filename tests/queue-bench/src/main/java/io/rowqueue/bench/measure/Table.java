package io.rowqueue.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table of text, in the form of Markdown, which people read as well. For one thread. */
public final class Table {

  private final String title;
  private final List<String> head;
  private final List<List<String>> rows = new ArrayList<>();

  /** An empty one. */
  public Table(String title, String... head) {
    this.title = title;
    this.head = List.of(head);
  }

  /** What was measured of several, in one unit. */
  public static Table of(String title, Map<String, Figures> figures) {
    Table table = new Table(title, "", "samples", "median", "p99", "min", "max");
    figures.forEach(
        (what, each) ->
            table.row(
                what,
                "%,d".formatted(each.sorted().size()),
                number(each.median()),
                number(each.at(0.99)),
                number(each.min()),
                number(each.max())));
    return table;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.2f", value);
  }

  /** Adds a row. */
  public Table row(String... cells) {
    if (cells.length != head.size()) {
      throw new IllegalArgumentException(
          "%d cells for %d columns of %s".formatted(cells.length, head.size(), title));
    }
    rows.add(List.of(cells));
    return this;
  }

  /** Title, head and rows, as wide as the widest cell of each column. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append("\n### ").append(title).append("\n\n");
    text.append(line(head)).append(rule());
    rows.forEach(row -> text.append(line(row)));
    return text.toString();
  }

  private String line(List<String> cells) {
    return IntStream.range(0, cells.size())
            .mapToObj(column -> padded(cells.get(column), column))
            .collect(Collectors.joining(" | ", "| ", " |"))
        + "\n";
  }

  private String padded(String cell, int column) {
    String blanks = " ".repeat(width(column) - cell.length());
    return column == 0 ? cell + blanks : blanks + cell;
  }

  /** Figures stand to the right. */
  private String rule() {
    return IntStream.range(0, head.size())
            .mapToObj(column -> "-".repeat(width(column) + 1) + (column == 0 ? "-" : ":"))
            .collect(Collectors.joining("|", "|", "|"))
        + "\n";
  }

  private int width(int column) {
    return Math.max(
        head.get(column).length(),
        rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0));
  }
}
