package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.Journal.Handling;
import io.rowqueue.proof.fault.plugin.Deed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the journals say of lines: one of a line after another, and none before its time. */
final class LineAudit {

  private final List<Strike> strikes;
  private final List<String> findings = new ArrayList<>();

  private LineAudit(List<Strike> strikes) {
    this.strikes = strikes;
  }

  /**
   * What is broken; empty if nothing is.
   *
   * @param removed messages that somebody may have taken out, whose lines went on without them
   */
  static List<String> findings(
      Map<Long, Booked> booked, Journal journal, List<Strike> strikes, Set<Long> removed) {
    LineAudit audit = new LineAudit(strikes);
    LineLedger.SET_ASIDE.forEach(
        topic -> {
          Map<String, List<Handling>> lines = byLine(booked, journal, topic);
          // Some of a former name are in no line.
          lines.remove("");
          lines.forEach(audit::together);
        });
    byLine(booked, journal, Deed.HELD)
        .forEach(
            (line, all) -> {
              audit.together(line, all);
              audit.passedBy(
                  line, all.stream().filter(each -> !removed.contains(each.id())).toList());
            });
    return audit.findings;
  }

  /** The handlings of each line of {@code topic}, in the order of their beginnings. */
  static Map<String, List<Handling>> byLine(
      Map<Long, Booked> booked, Journal journal, String topic) {
    Map<String, List<Handling>> lines = new HashMap<>();
    journal
        .byMessage()
        .forEach(
            (id, all) -> {
              Booked message = booked.get(id);
              if (message != null && message.topic().equals(topic)) {
                lines.computeIfAbsent(message.line(), line -> new ArrayList<>()).addAll(all);
              }
            });
    lines.values().forEach(all -> all.sort(Comparator.comparingLong(Handling::begin)));
    return lines;
  }

  /** Two of one line are never at work together, but for what a fault explains. */
  private void together(String line, List<Handling> all) {
    for (int i = 1; i < all.size(); i++) {
      Handling earlier = all.get(i - 1);
      Handling later = all.get(i);
      boolean overlap = earlier.id() != later.id() && earlier.end() > later.begin();
      if (overlap && !isStruck(earlier, later)) {
        findings.add("two of " + line + " at one time: " + earlier + " and " + later);
      }
    }
  }

  /**
   * Whoever has begun is handled to its end before another of its line begins, be it retried, given
   * back, lost, or a dead letter that is redriven in between: no fault explains another order.
   */
  private void passedBy(String line, List<Handling> all) {
    List<Handling> current = withoutZombies(all);
    Map<Long, Integer> last = new HashMap<>();
    for (int i = 0; i < current.size(); i++) {
      Integer before = last.put(current.get(i).id(), i);
      if (before != null && before < i - 1) {
        findings.add(
            "%s went on too early: %s, between %s and %s"
                .formatted(line, current.get(before + 1), current.get(before), current.get(i)));
      }
    }
  }

  /** Without what a worker that stood still begins of a claim that it has lost meanwhile. */
  private static List<Handling> withoutZombies(List<Handling> all) {
    Map<Long, Integer> newest = new HashMap<>();
    return all.stream()
        .filter(each -> newest.merge(each.id(), each.claim(), Math::max) == each.claim())
        .toList();
  }

  private boolean isStruck(Handling earlier, Handling later) {
    return strikes.stream()
        .anyMatch(strike -> strike.hit(earlier.pid(), earlier.begin(), later.begin()));
  }
}
