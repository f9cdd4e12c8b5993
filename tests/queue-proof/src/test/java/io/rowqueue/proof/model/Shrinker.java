package io.rowqueue.proof.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes a failing play short: takes away halves, quarters and so on down to single steps (Zeller's
 * delta debugging), then makes the numbers of those that are left small. Every step can be taken
 * away, since one that has become impossible is passed over.
 */
final class Shrinker {

  private final Predicate<List<Step>> fails;
  private final long endNanos;

  Shrinker(Predicate<List<Step>> fails, Duration atMost) {
    this.fails = fails;
    this.endNanos = System.nanoTime() + atMost.toNanos();
  }

  /** The shortest that was found; {@code failing} itself if nothing shorter fails. */
  List<Step> shrink(List<Step> failing) {
    List<Step> shortest = failing;
    List<Step> before;
    do {
      before = shortest;
      shortest = smaller(shorter(shortest));
    } while (!shortest.equals(before) && hasTime());
    return shortest;
  }

  private List<Step> shorter(List<Step> failing) {
    List<Step> shortest = failing;
    for (int length = Math.max(1, failing.size() / 2); length > 0; length /= 2) {
      int from = 0;
      while (from < shortest.size() && hasTime()) {
        List<Step> without = without(shortest, from, length);
        if (fails.test(without)) {
          shortest = without;
        } else {
          from += length;
        }
      }
    }
    return shortest;
  }

  private static List<Step> without(List<Step> steps, int from, int length) {
    List<Step> rest = new ArrayList<>(steps.subList(0, from));
    rest.addAll(steps.subList(Math.min(from + length, steps.size()), steps.size()));
    return rest;
  }

  private List<Step> smaller(List<Step> failing) {
    List<Step> smallest = failing;
    for (int step = 0; step < smallest.size(); step++) {
      for (int number = 0; number < smallest.get(step).numbers().size(); number++) {
        smallest = smaller(smallest, step, number);
      }
    }
    return smallest;
  }

  private List<Step> smaller(List<Step> failing, int step, int number) {
    int now = failing.get(step).numbers().get(number);
    for (int candidate : new int[] {0, 1, 2, now / 2}) {
      List<Step> smaller = with(failing, step, number, candidate);
      if (candidate < now && hasTime() && fails.test(smaller)) {
        return smaller;
      }
    }
    return failing;
  }

  private static List<Step> with(List<Step> steps, int step, int number, int value) {
    List<Integer> numbers = new ArrayList<>(steps.get(step).numbers());
    numbers.set(number, value);
    List<Step> changed = new ArrayList<>(steps);
    changed.set(step, new Step(steps.get(step).deed(), numbers));
    return changed;
  }

  private boolean hasTime() {
    return System.nanoTime() < endNanos;
  }
}
