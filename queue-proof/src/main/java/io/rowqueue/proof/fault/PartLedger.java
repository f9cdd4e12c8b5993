package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;

/**
 * The books of what handlers add to their own batches: parts, and batches of parts within. Each is
 * noted in the transaction of the handling that adds it, so that what is not noted was rolled back.
 * Thread-safe.
 */
final class PartLedger implements Books {

  /** How many members handlers have added to the batch {@code b}: nested batches are one each. */
  static final String ADDED =
      "((SELECT COUNT(*) FROM part p WHERE p.batch_id = b.batch_id AND p.nest IS NULL)"
          + " + (SELECT COUNT(*) FROM nest n WHERE n.batch_id = b.batch_id))";

  /** How many of those have come to an end, each of them once. */
  static final String ENDED =
      "((SELECT COUNT(*) FROM part p JOIN part_done d ON d.token = p.token"
          + " WHERE p.batch_id = b.batch_id AND p.nest IS NULL)"
          + " + (SELECT COUNT(*) FROM nest n JOIN nest_done d ON d.token = n.token"
          + " WHERE n.batch_id = b.batch_id))";

  private static final String NOT_CANCELLED =
      "batch_id NOT IN (SELECT batch_id FROM cancelled_batch)";

  private final QueueDatabase database;

  PartLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE part (token VARCHAR(64) NOT NULL PRIMARY KEY, batch_id BIGINT NOT NULL,"
            + " nest VARCHAR(64) NULL, KEY part_batch (batch_id), KEY part_nest (nest))",
        "CREATE TABLE part_done (token VARCHAR(64) NOT NULL PRIMARY KEY)",
        "CREATE TABLE nest (token VARCHAR(64) NOT NULL PRIMARY KEY, batch_id BIGINT NOT NULL,"
            + " KEY nest_batch (batch_id))",
        "CREATE TABLE nest_done (token VARCHAR(64) NOT NULL PRIMARY KEY,"
            + " counts VARCHAR(128) NOT NULL, parts INT NOT NULL)");
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(notOnce("part", "part_done", "was never handled", "was handled"));
    findings.addAll(notOnce("nest", "nest_done", "never completed", "completed"));
    findings.addAll(completedWrong());
    return findings;
  }

  @Override
  public List<String> unused() {
    List<String> unused = new ArrayList<>();
    unused.addAll(
        Books.unusedIf(database, "added members", "SELECT COUNT(*) FROM part WHERE nest IS NULL"));
    unused.addAll(Books.unusedIf(database, "nested batches", "SELECT COUNT(*) FROM nest"));
    return unused;
  }

  /**
   * The primary key sees to it that none ends twice. What was added to a batch that somebody meant
   * to cancel may have gone with it.
   */
  private List<String> notOnce(String added, String ended, String never, String ever) {
    return database.strings(
        "SELECT CONCAT('%1$s ', a.token, ' %2$s') FROM %1$s a LEFT JOIN %3$s d"
                .formatted(added, never, ended)
            + " ON d.token = a.token WHERE d.token IS NULL AND a.%s".formatted(NOT_CANCELLED)
            + " UNION ALL SELECT CONCAT('%1$s ', d.token, ' was rolled back, and %2$s')"
                .formatted(added, ever)
            + " FROM %2$s d LEFT JOIN %1$s a ON a.token = d.token WHERE a.token IS NULL"
                .formatted(added, ended));
  }

  /** A nested batch completes behind each of its parts, but for those that went with it. */
  private List<String> completedWrong() {
    return database.strings(
        "SELECT CONCAT('nest ', token, ' completed with ', counts, ' behind ', parts, ' parts')"
            + " FROM nest_done WHERE counts <> CONCAT('total=%1$d done=', parts,"
                .formatted(Deed.INNER)
            + " ' failed=0 cancelled=', %1$d - parts) OR (parts <> %1$d AND token NOT IN"
                .formatted(Deed.INNER)
            + " (SELECT n.token FROM nest n JOIN cancelled_batch c ON c.batch_id = n.batch_id))");
  }
}
