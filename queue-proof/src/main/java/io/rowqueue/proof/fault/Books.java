package io.rowqueue.proof.fault;

import io.rowqueue.testkit.QueueDatabase;
import java.util.List;

/** The books of a feature, kept by SQL. */
interface Books {

  /** What of it is broken; empty if nothing is. */
  List<String> findings();

  /** What a run has not shown, since nothing of it happened; empty if everything did. */
  List<String> unused();

  /** That there were no {@code what}, if {@code query} counts none; else nothing. */
  static List<String> unusedIf(QueueDatabase database, String what, String query) {
    return database.count(query) == 0
        ? List.of("there were no " + what + ", so that nothing is shown of them")
        : List.of();
  }

  /** The same of {@code topic}, of which nothing was enqueued. */
  static List<String> unusedTopic(QueueDatabase database, String what, String topic) {
    return unusedIf(
        database, what, "SELECT COUNT(*) FROM enqueued WHERE topic = '%s'".formatted(topic));
  }
}
