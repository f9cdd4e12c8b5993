package io.rowqueue.proof.fault;

import io.rowqueue.message.MessageId;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The books of awaited results: an answer is what is stored, and of the claim that took effect;
 * nobody waits for longer than he said. Thread-safe.
 */
final class AwaitedLedger implements Books {

  private final QueueDatabase database;

  AwaitedLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE awaited (message_id BIGINT NOT NULL PRIMARY KEY, outcome VARCHAR(16) NOT"
            + " NULL, answer INT NULL, late_millis BIGINT NOT NULL)");
  }

  /**
   * Books how a wait ended.
   *
   * @param answer null without
   * @param late how long after its deadline
   */
  void book(MessageId id, Outcome outcome, @Nullable Integer answer, Duration late) {
    database.execute(
        "INSERT INTO awaited VALUES (%d, '%s', %s, %d)"
            .formatted(id.value(), outcome, answer, late.toMillis()));
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(answeredWrong());
    findings.addAll(saidWrongly());
    findings.addAll(late());
    return findings;
  }

  /** That one is answered is what the end of each run awaits. */
  @Override
  public List<String> unused() {
    return List.of();
  }

  /** The result of each is its claim number. */
  private List<String> answeredWrong() {
    return database.strings(
        "SELECT CONCAT('message ', a.message_id, ' was answered with ', COALESCE(a.answer, 'none'),"
            + " ', its result is ', COALESCE(CONVERT(r.content USING utf8mb4), 'none'),"
            + " ' and its effect of claim ', COALESCE(f.claim, 'none')) FROM awaited a"
            + " LEFT JOIN effect f ON f.message_id = a.message_id"
            + " LEFT JOIN queue_result r ON r.message_id = a.message_id"
            + " WHERE a.outcome = '%s' AND NOT (a.answer <=> f.claim".formatted(Outcome.ANSWERED)
            + " AND r.content <=> CAST(f.claim AS CHAR))");
  }

  /** A dead letter was redriven before it took effect; what is gone was taken out. */
  private List<String> saidWrongly() {
    return database.strings(
        "SELECT CONCAT('message ', a.message_id, ' was said to be a dead letter, and took effect')"
            + " FROM awaited a JOIN effect f ON f.message_id = a.message_id"
            + " WHERE a.outcome = '%s' AND a.message_id NOT IN (SELECT message_id FROM redriven)"
                .formatted(Outcome.DEAD)
            + " UNION ALL SELECT CONCAT('message ', a.message_id, ' was said to be gone, and nobody"
            + " took it out') FROM awaited a WHERE a.outcome = '%s' AND a.message_id NOT IN"
                .formatted(Outcome.GONE)
            + " (SELECT message_id FROM removed)");
  }

  /** By far: how soon a thread goes on is the machine's business. */
  private List<String> late() {
    return database.strings(
        "SELECT CONCAT('message ', message_id, ' of %s was awaited for ', late_millis,"
                .formatted(Deed.RESULT)
            + " ' ms longer than said') FROM awaited WHERE late_millis > 10000");
  }

  /** How a wait ended. */
  enum Outcome {
    ANSWERED,
    /** Its message was a dead letter. */
    DEAD,
    /** Its message was in no place. */
    GONE,
    /** The time was over. */
    TIMEOUT
  }
}
