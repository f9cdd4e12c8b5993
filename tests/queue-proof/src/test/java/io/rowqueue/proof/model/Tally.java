package io.rowqueue.proof.model;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How often what happened in all plays of a run, so that a run that shows nothing is seen. */
final class Tally {

  private final Map<String, Integer> counts = new TreeMap<>();

  void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  int of(String what) {
    return counts.getOrDefault(what, 0);
  }

  @Override
  public String toString() {
    return counts.entrySet().stream()
        .map(count -> count.getKey() + " " + count.getValue())
        .collect(Collectors.joining(", "));
  }
}
