package io.rowqueue.proof.fault;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Results as the table that stands in the documents. */
final class ResultTable {

  private ResultTable() {}

  /** A line a scenario, and one for the sum. */
  static void print(List<Result> results, PrintStream out) {
    out.println(
        "| scenario | faults | messages | lost | doubled effects | external again | dead letters |"
            + " removed | refused enqueues | deadlocks | slowest recovery | slowest stop | verdict"
            + " |");
    out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (Result each : results) {
      out.printf(
          Locale.ROOT,
          "| %s | %,d | %,d | %d | %d | %,d | %,d | %,d | %,d | %,d | %s | %s | %s |%n",
          each.scenario().name(),
          each.faults(),
          each.messages(),
          each.lost(),
          each.doubled(),
          each.again(),
          each.deadLetters(),
          each.removed(),
          each.refused(),
          each.deadlocks(),
          seconds(each.slowest()),
          seconds(each.slowestStop()),
          each.isGood() ? "holds" : "BROKEN");
    }
    out.printf(
        Locale.ROOT,
        "| all | %,d | %,d | %d | %d | | | | | | | | %s |%n",
        results.stream().mapToInt(Result::faults).sum(),
        results.stream().mapToLong(Result::messages).sum(),
        results.stream().mapToInt(Result::lost).sum(),
        results.stream().mapToInt(Result::doubled).sum(),
        results.stream().allMatch(Result::isGood) ? "holds" : "BROKEN");
  }

  private static String seconds(@Nullable Duration duration) {
    return duration == null
        ? "-"
        : String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
  }
}
