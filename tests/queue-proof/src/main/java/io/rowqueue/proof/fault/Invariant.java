package io.rowqueue.proof.fault;

import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement about the ledger and the queue that must hold when a run is over; all of them are in
 * {@code invariants.sql}.
 */
record Invariant(Kind kind, String name, String query) {

  private static final Pattern HEADER = Pattern.compile("-- (BROKEN|NOT_EXERCISED) ([^:]+).*");
  static final List<Invariant> ALL = read();

  /** What a query gives. */
  enum Kind {
    /** Each row is a finding. */
    BROKEN,
    /** A count; zero is a finding, since the run shows nothing of it. */
    NOT_EXERCISED
  }

  private static List<Invariant> read() {
    List<Invariant> all = new ArrayList<>();
    Matcher header = null;
    StringBuilder query = new StringBuilder();
    for (String line : Ledger.resource("invariants.sql").split("\n", -1)) {
      Matcher matcher = HEADER.matcher(line);
      if (matcher.matches()) {
        header = matcher;
      } else if (!line.startsWith("--") && header != null) {
        query.append(line).append('\n');
        if (line.endsWith(";")) {
          String text = query.toString().strip();
          all.add(
              new Invariant(
                  Kind.valueOf(header.group(1)),
                  header.group(2),
                  text.substring(0, text.length() - 1)));
          query.setLength(0);
          header = null;
        }
      }
    }
    return List.copyOf(all);
  }

  /** What {@code database} says against it; empty if nothing. */
  List<String> findings(QueueDatabase database) {
    return switch (kind) {
      case BROKEN -> database.strings(query);
      case NOT_EXERCISED ->
          database.count(query) == 0
              ? List.of("there were no %s, so that nothing is shown of them".formatted(name))
              : List.of();
    };
  }

  /** The findings of all of a kind, by the invariants' names. */
  static Map<String, List<String>> findings(QueueDatabase database, Kind kind) {
    Map<String, List<String>> findings = new LinkedHashMap<>();
    for (Invariant each : ALL) {
      List<String> found = each.kind == kind ? each.findings(database) : List.of();
      if (!found.isEmpty()) {
        findings.put(each.name, found);
      }
    }
    return findings;
  }
}
