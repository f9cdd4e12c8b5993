package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.Journal.Handling;
import io.rowqueue.proof.fault.plugin.Deed;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the journals say of changed limits: two seconds later no more are at work at one time than
 * they let, of those that have begun since. What had begun before is let finish.
 */
final class HeededAudit {

  private final List<Strike> strikes;
  private final List<String> findings = new ArrayList<>();

  private HeededAudit(List<Strike> strikes) {
    this.strikes = strikes;
  }

  /** What is broken, but for what a fault explains; empty if nothing is. */
  static List<String> findings(
      Map<Long, Booked> booked, Journal journal, List<Strike> strikes, List<Limit> limits) {
    HeededAudit audit = new HeededAudit(strikes);
    List<Handling> limited = LimitAudit.of(booked, journal, Deed.LIMITED);
    Map<String, List<Handling>> wide = LineAudit.byLine(booked, journal, Deed.WIDE);
    for (Limit limit : limits) {
      if (limit.topic().equals(Deed.LIMITED)) {
        audit.heeded(limit, limited, 0);
      } else {
        wide.values().forEach(all -> audit.heeded(limit, all, Deed.MOST_WIDE));
      }
    }
    return audit.findings;
  }

  /**
   * Looks at {@code all} that the limit is for, in the order of their beginnings.
   *
   * @param letGo how many may have been let go by another limit before, and begin late, behind a
   *     backlog; who comes behind so many was let go by this one
   */
  private void heeded(Limit limit, List<Handling> all, int letGo) {
    long from = limit.heededFrom();
    if (strikes.stream().anyMatch(strike -> strike.heldUpUntil(from))) {
      return;
    }
    Set<Long> before = new HashSet<>();
    List<Handling> begun =
        all.stream()
            .filter(each -> each.begin() >= from && each.begin() < limit.until())
            .filter(each -> !isAmong(before, letGo, each.id()))
            .toList();
    AtOnce.moreThan(limit.most(), begun, strikes, limit.since()).stream()
        .map(finding -> limit + " was not heeded: " + finding)
        .forEach(findings::add);
  }

  /** Whether it is one of the first {@code most}. */
  private static boolean isAmong(Set<Long> first, int most, long id) {
    return first.contains(id) || (first.size() < most && first.add(id));
  }
}
