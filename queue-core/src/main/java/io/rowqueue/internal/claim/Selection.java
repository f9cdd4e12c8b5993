package io.rowqueue.internal.claim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Splits candidates into those that a request may claim, and those that must be handled alone and
 * are left to other workers.
 *
 * @param kept in the order in which they were found
 * @param left in the order in which they were found
 */
public record Selection<T>(List<T> kept, List<T> left) {

  /**
   * Keeps as many as the request asks for, and among them as many that must be handled alone as it
   * allows.
   *
   * @param lost returns the number of lost claims of a candidate
   */
  static <T> Selection<T> of(ClaimRequest request, List<T> found, ToIntFunction<T> lost) {
    Selection<T> picks = new Selection<>(new ArrayList<>(), new ArrayList<>());
    int alone = 0;
    for (T one : found) {
      if (picks.kept.size() == request.limit()) {
        break;
      }
      boolean suspect = request.alone(lost.applyAsInt(one));
      if (suspect && alone == request.mostAlone()) {
        picks.left.add(one);
      } else {
        alone += suspect ? 1 : 0;
        picks.kept.add(one);
      }
    }
    return picks;
  }

  /**
   * The id per priority up to which there is nothing left to claim once {@code picks} were claimed:
   * not beyond the first that was left, in claim order.
   */
  static Map<Byte, Long> passed(Selection<Candidate> picks, Predicate<Candidate> claimed) {
    Map<Byte, Long> passed = new TreeMap<>();
    picks.kept.stream()
        .filter(claimed)
        .filter(one -> picks.left.stream().noneMatch(left -> isBefore(left, one)))
        .forEach(one -> passed.merge(one.priority(), one.id(), Math::max));
    return passed;
  }

  private static boolean isBefore(Candidate one, Candidate other) {
    return one.priority() == other.priority()
        ? one.id() < other.id()
        : one.priority() < other.priority();
  }
}
