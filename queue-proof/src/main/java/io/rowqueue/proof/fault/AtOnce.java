package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.Journal.Handling;
import java.util.ArrayList;
import java.util.List;

/** Handlings that run at one time, of which no more may than their limit says. */
final class AtOnce {

  private AtOnce() {}

  /**
   * Each of {@code all}, which are in the order of their beginnings, that begins while {@code most}
   * others run, but for what one of {@code strikes} explains.
   */
  static List<String> moreThan(int most, List<Handling> all, List<Strike> strikes) {
    return moreThan(most, all, strikes, Long.MAX_VALUE);
  }

  /**
   * The same where a fault explains more: who is struck from {@code since} on, before all of them
   * begin, may not know what holds now.
   */
  static List<String> moreThan(int most, List<Handling> all, List<Strike> strikes, long since) {
    List<String> findings = new ArrayList<>();
    List<Handling> running = new ArrayList<>();
    for (Handling next : all) {
      running.removeIf(earlier -> earlier.end() <= next.begin());
      long unexplained =
          running.stream().filter(earlier -> !isExplained(earlier, next, strikes, since)).count();
      if (unexplained >= most) {
        findings.add("more than may be at one time: " + running + " and " + next);
      }
      running.add(next);
    }
    return findings;
  }

  /** The victim may be who begins later: it stood still between its claim and its handler. */
  private static boolean isExplained(
      Handling earlier, Handling later, List<Strike> strikes, long since) {
    long after = Math.min(since, earlier.begin());
    return strikes.stream()
        .anyMatch(
            strike ->
                strike.hit(earlier.pid(), after, later.begin())
                    || strike.hit(later.pid(), after, later.begin()));
  }
}
