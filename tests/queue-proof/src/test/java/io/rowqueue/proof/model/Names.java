package io.rowqueue.proof.model;

import java.util.HashMap;
import java.util.Map;

/**
 * Calls the messages of a play m1, m2 and so on, so that the same play reads the same each time.
 */
final class Names {

  private final Map<Long, String> names = new HashMap<>();

  String give(long id) {
    return names.computeIfAbsent(id, unnamed -> "m" + (names.size() + 1));
  }

  String of(long id) {
    return names.getOrDefault(id, "#" + id);
  }
}
