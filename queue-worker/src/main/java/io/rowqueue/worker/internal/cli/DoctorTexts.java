package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.worker.internal.doctor.Doctor;
import io.rowqueue.worker.internal.doctor.Finding;
import io.rowqueue.worker.internal.doctor.Severity;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Findings as lines for people, and as JSON. */
final class DoctorTexts {

  private DoctorTexts() {}

  /** A line each, what to do about it on the next, and a sum. */
  static String lines(List<Finding> findings) {
    return findings.stream().map(DoctorTexts::line).collect(Collectors.joining("\n"))
        + "\n\n"
        + sum(findings);
  }

  private static String line(Finding finding) {
    String line =
        "%-7s  %-13s  %s"
            .formatted(
                word(finding.severity()),
                finding.subject(),
                TextTable.printable(finding.found().strip().replaceAll("\\s+", " ")));
    return finding.advice().isEmpty()
        ? line
        : line + "\n" + " ".repeat(24) + "-> " + TextTable.printable(finding.advice());
  }

  private static String sum(List<Finding> findings) {
    return "%s, %s, %d not looked at"
        .formatted(
            TextTable.plural(count(findings, Severity.PROBLEM), "problem"),
            TextTable.plural(count(findings, Severity.WARNING), "warning"),
            count(findings, Severity.UNKNOWN));
  }

  private static long count(List<Finding> findings, Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }

  private static String word(Severity severity) {
    return severity.name().toLowerCase(Locale.ROOT);
  }

  static void fill(ObjectNode root, List<Finding> findings) {
    root.put("worst", word(Doctor.worst(findings)));
    ArrayNode all = root.putArray("findings");
    for (Finding finding : findings) {
      all.addObject()
          .put("subject", finding.subject())
          .put("severity", word(finding.severity()))
          .put("found", finding.found())
          .put("advice", finding.advice());
    }
  }
}
