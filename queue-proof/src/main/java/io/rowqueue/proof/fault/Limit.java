package io.rowqueue.proof.fault;

import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.List;

/**
 * A limit that was left as it is for longer than it takes until all heed it.
 *
 * @param topic whose it is
 * @param most how many may be at work at one time
 * @param since {@link System#nanoTime} when the call that set it had returned
 * @param until the same before the next call
 */
record Limit(String topic, int most, long since, long until) {

  /** What operators are promised. */
  static final Duration HEEDED_AFTER = Duration.ofSeconds(2);

  /** All in the books. */
  static List<Limit> all(QueueDatabase database) {
    return database
        .strings(
            "SELECT CONCAT(topic, ' ', most, ' ', since, ' ', until) FROM limited"
                + " WHERE until - since > %d ORDER BY seq".formatted(HEEDED_AFTER.toNanos()))
        .stream()
        .map(row -> row.split(" ", -1))
        .map(
            words ->
                new Limit(
                    words[0],
                    Integer.parseInt(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3])))
        .toList();
  }

  /** From when on all heed it. */
  long heededFrom() {
    return since + HEEDED_AFTER.toNanos();
  }
}
