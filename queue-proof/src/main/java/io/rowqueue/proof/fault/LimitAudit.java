package io.rowqueue.proof.fault;

import io.rowqueue.limit.RateBuckets;
import io.rowqueue.proof.fault.Journal.Handling;
import io.rowqueue.proof.fault.plugin.Deed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What the journals say of limits: how many were at work at one time, and how many began. */
final class LimitAudit {

  /** Short ones show that a bucket holds no more than it may, long ones how it is filled. */
  private static final List<Duration> WINDOWS =
      List.of(Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofSeconds(5));

  private LimitAudit() {}

  /** What is broken, but for what a fault explains; empty if nothing is. */
  static List<String> findings(Map<Long, Booked> booked, Journal journal, List<Strike> strikes) {
    List<String> findings =
        new ArrayList<>(
            AtOnce.moreThan(Deed.MOST_LIMITED, of(booked, journal, Deed.LIMITED), strikes));
    LineAudit.byLine(booked, journal, Deed.WIDE)
        .forEach((line, all) -> findings.addAll(AtOnce.moreThan(Deed.MOST_WIDE, all, strikes)));
    List<Handling> rated = of(booked, journal, Deed.RATED);
    WINDOWS.forEach(window -> findings.addAll(tooMany(Deed.RATE, window, rated)));
    return findings;
  }

  /** The handlings of {@code topic}, in the order of their beginnings. */
  private static List<Handling> of(Map<Long, Booked> booked, Journal journal, String topic) {
    return journal.byMessage().entrySet().stream()
        .filter(
            each -> {
              Booked message = booked.get(each.getKey());
              return message != null && message.topic().equals(topic);
            })
        .flatMap(each -> each.getValue().stream())
        .sorted(Comparator.comparingLong(Handling::begin))
        .toList();
  }

  /**
   * Where more of {@code all}, which are in the order of their beginnings, begin in a window than
   * {@code perSecond} lets: what the bucket is filled with meanwhile and held before, and what each
   * process had drawn before. No fault explains more, since what is drawn is gone.
   */
  static List<String> tooMany(int perSecond, Duration window, List<Handling> all) {
    List<String> findings = new ArrayList<>();
    int burst = RateBuckets.burst(perSecond);
    double filled = perSecond * (window.toNanos() / 1e9);
    int first = 0;
    for (int i = 0; i < all.size(); i++) {
      while (all.get(i).begin() - all.get(first).begin() > window.toNanos()) {
        first++;
      }
      List<Handling> begun = all.subList(first, i + 1);
      if (begun.size() > filled + burst) {
        long processes = begun.stream().map(Handling::pid).distinct().count();
        if (begun.size() > filled + burst + burst * processes) {
          findings.add(
              "%d begun within %d ms, by %d processes: %s"
                  .formatted(begun.size(), window.toMillis(), processes, all.get(i)));
        }
      }
    }
    return findings;
  }
}
