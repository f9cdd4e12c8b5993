package io.rowqueue.bench.measure;

import io.rowqueue.testkit.QueueDatabase;

/** Ten rows, from which the server makes millions by joining them with themselves. */
public final class Digits {

  private Digits() {}

  /** Makes the table {@code digit} with its column {@code d}, unless it is there. */
  public static void prepare(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS digit (d INT PRIMARY KEY)",
        "INSERT IGNORE INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
  }
}
