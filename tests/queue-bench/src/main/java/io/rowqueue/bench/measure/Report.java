package io.rowqueue.bench.measure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects what workloads measure: tables go to the screen as they come, and everything goes to the
 * folder as well, if there is one. For one thread.
 */
public final class Report {

  private final PrintStream out;
  private final @Nullable Path folder;
  private final ObjectMapper json = new ObjectMapper();
  private final List<Bar> bars = new ArrayList<>();

  /** A report. */
  public Report(PrintStream out, @Nullable Path folder) {
    this.out = out;
    this.folder = folder;
  }

  /** Says what is going on; it is no result. */
  public void note(String text) {
    out.println(text);
  }

  /** One sample for programs: a line of JSON, in the order of {@code values}. */
  public void sample(String workload, Map<String, ?> values) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("workload", workload);
    line.putAll(values);
    try {
      write("samples.jsonl", json.writeValueAsString(line) + "\n");
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no line of JSON can be made of " + line, e);
    }
  }

  /** A result for people. */
  public void table(Table table) {
    out.print(table.text());
    write("tables.md", table.text());
  }

  /** A result that is held against what is asked for. */
  public void bar(Bar bar) {
    bars.add(bar);
    out.println(bar);
    write("bars.txt", bar + "\n");
  }

  /** Draws {@code chart}, if there is a folder for it. */
  public void chart(String name, Chart chart) {
    if (folder != null) {
      chart.draw(folder.resolve(name + ".svg"));
    }
  }

  /** Every bar so far. */
  public List<Bar> bars() {
    return List.copyOf(bars);
  }

  private void write(String file, String text) {
    if (folder == null) {
      return;
    }
    try {
      Files.createDirectories(folder);
      Files.writeString(
          folder.resolve(file),
          text,
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException("the report cannot be written to " + folder, e);
    }
  }

  /** What a figure must reach. */
  public record Bar(String what, double value, double limit, boolean atLeast) {

    /** One that must not be below. */
    public static Bar atLeast(String what, double value, double limit) {
      return new Bar(what, value, limit, true);
    }

    /** One that must not be above. */
    public static Bar atMost(String what, double value, double limit) {
      return new Bar(what, value, limit, false);
    }

    /** Whether it was reached; what could not be measured was not. */
    public boolean isMet() {
      return atLeast ? value >= limit : value <= limit;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%-6s %s: %.2f (bar: at %s %.2f)",
          isMet() ? "met" : "MISSED",
          what,
          value,
          atLeast ? "least" : "most",
          limit);
    }
  }
}
