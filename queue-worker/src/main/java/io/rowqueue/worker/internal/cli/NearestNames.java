package io.rowqueue.worker.internal.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

final class NearestNames {

  private static final int SUGGESTED = 3;

  private NearestNames() {}

  /** The three nearest of {@code known} by edits, the nearest first. */
  static List<String> of(String name, Collection<String> known) {
    return known.stream()
        .sorted(
            Comparator.comparingInt((String each) -> edits(name, each))
                .thenComparing(Comparator.naturalOrder()))
        .limit(SUGGESTED)
        .toList();
  }

  /** Insertions, deletions and replacements that make {@code a} into {@code b}. */
  static int edits(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
