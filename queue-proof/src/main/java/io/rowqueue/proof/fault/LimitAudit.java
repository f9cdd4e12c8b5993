package io.rowqueue.proof.fault;

import io.rowqueue.limit.RateBuckets;
import io.rowqueue.proof.fault.Journal.Handling;
import io.rowqueue.proof.fault.plugin.Deed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

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
    LineAudit.byLine(booked, journal, Deed.KEY_RATED)
        .forEach((line, all) -> findings.addAll(keyRated(all, strikes)));
    return findings;
  }

  private static List<String> keyRated(List<Handling> all, List<Strike> strikes) {
    List<String> findings = new ArrayList<>(AtOnce.moreThan(Deed.MOST_KEY_RATED, all, strikes));
    WINDOWS.forEach(
        window -> findings.addAll(tooManyOfAKey(Deed.KEY_RATE, Deed.MOST_KEY_RATED, window, all)));
    return findings;
  }

  /** The handlings of {@code topic}, in the order of their beginnings. */
  static List<Handling> of(Map<Long, Booked> booked, Journal journal, String topic) {
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
    int burst = RateBuckets.burst(perSecond);
    return tooMany(
        perSecond,
        window,
        all,
        begun -> burst * begun.stream().map(Handling::pid).distinct().count());
  }

  /**
   * The same of one key, of which {@code most} may have been let go before that have not begun. No
   * fault explains more, since they keep their places; but what was let go once may be begun again
   * by whoever claims it behind a fault, as the same attempt.
   */
  static List<String> tooManyOfAKey(int perSecond, int most, Duration window, List<Handling> all) {
    Set<String> seen = new HashSet<>();
    List<Handling> letGo =
        all.stream().filter(each -> seen.add(each.id() + " " + each.attempt())).toList();
    return tooMany(perSecond, window, letGo, begun -> most);
  }

  /**
   * The same.
   *
   * @param before how many of some that have begun may have been let go before the first of them
   */
  private static List<String> tooMany(
      int perSecond, Duration window, List<Handling> all, ToLongFunction<List<Handling>> before) {
    List<String> findings = new ArrayList<>();
    double filled = perSecond * (window.toNanos() / 1e9) + RateBuckets.burst(perSecond);
    int first = 0;
    for (int i = 0; i < all.size(); i++) {
      while (all.get(i).begin() - all.get(first).begin() > window.toNanos()) {
        first++;
      }
      List<Handling> begun = all.subList(first, i + 1);
      if (begun.size() > filled && begun.size() > filled + before.applyAsLong(begun)) {
        findings.add(
            "%d begun within %d ms: %s".formatted(begun.size(), window.toMillis(), all.get(i)));
      }
    }
    return findings;
  }
}
