package io.rowqueue.proof.operation;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.statement.Core;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** What the tables hold when a play begins; everything that it names is the same in each run. */
public final class Fixture {

  public static final Topic TOPIC = new Topic("play");

  public static final LockId WORKER = new LockId("host-1-play");

  static final AttemptError ERROR = new AttemptError("E", "m", "t");

  /** From here on ids are the server's, who leaves out those of transactions that failed. */
  static final int FIRST_ID_OF_THE_SERVER = 1_000;

  private final QueueDatabase database;
  private final DataSource connections;
  private final Core core;

  /** Sets it in {@code database}, over {@code connections}, which need not commit by themselves. */
  public Fixture(QueueDatabase database, DataSource connections) {
    this.database = database;
    this.connections = connections;
    this.core = new Core(connections, TransactionProbe.NONE);
    // Far apart, so that an id tells its table.
    sql(
        "ALTER TABLE queue_message AUTO_INCREMENT = " + FIRST_ID_OF_THE_SERVER,
        "ALTER TABLE queue_batch AUTO_INCREMENT = " + 200 * FIRST_ID_OF_THE_SERVER,
        "ALTER TABLE queue_chain AUTO_INCREMENT = " + 400 * FIRST_ID_OF_THE_SERVER);
  }

  public void sql(String... statements) {
    try (Connection connection = connections.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String sql : statements) {
        statement.execute(sql);
      }
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Messages 1 to {@code count}, each of the same topic. */
  public void messages(int count) {
    sql(
        IntStream.rangeClosed(1, count)
            .mapToObj(id -> "(%d, '%s', '\"payload %d\"')".formatted(id, TOPIC, id))
            .collect(
                Collectors.joining(
                    ", ", "INSERT INTO queue_message (id, topic, payload) VALUES ", "")));
  }

  /** The same, changed by {@code changes}. */
  public void messages(int count, String changes) {
    messages(count);
    sql("UPDATE queue_message SET " + changes);
  }

  /** The earlier failure of messages that have one attempt behind them. */
  public void failedOnce() {
    sql(
        "UPDATE queue_message SET attempts = 1",
        "INSERT INTO queue_attempt SELECT id, 0, 1, 'w', UTC_TIMESTAMP(6), 'E', 'before', 'trace'"
            + " FROM queue_message");
  }

  /** Everything that is available is the worker's. */
  public List<Claim> claims() {
    return core.get(ClaimStrategy.class).claim(new ClaimRequest(TOPIC, WORKER, 100, 100));
  }

  /** Messages 1 to {@code count} are the worker's. */
  public List<Claim> claimed(int count) {
    messages(count);
    return claims();
  }

  /** Messages 1 to {@code count} are dead letters, with an attempt each. */
  public List<MessageId> deadLetters(int count) {
    messages(count);
    return deadLetters();
  }

  /** Everything that is available is a dead letter, with an attempt each. */
  public List<MessageId> deadLetters() {
    List<Claim> claims = claims();
    claims.forEach(this::deadLetter);
    return claims.stream().map(Claim::id).toList();
  }

  /** The message of {@code claim} is a dead letter, with an attempt. */
  public void deadLetter(Claim claim) {
    core.get(Settler.class).deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR);
  }

  /** The worker's row. */
  public void worker(boolean alive, int leaseSeconds) {
    worker(WORKER, alive, leaseSeconds);
  }

  public void worker(LockId lockId, boolean alive, int leaseSeconds) {
    sql(
        """
        INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,
          started_at, updated_at)
        VALUES ('%s', 'host', 1, %b, UTC_TIMESTAMP(6) + INTERVAL %d SECOND, 'test', '%s',
          UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))
        """
            .formatted(lockId, alive, leaseSeconds, TOPIC));
  }

  /** A copy of an acknowledged message. */
  public void copy(int id, String topic) {
    sql(
        """
        INSERT INTO queue_archive (id, settled_day, topic, priority, claim_number, attempts, lost_claims, worker,
          due_at, created_at, settled_at, payload)
        VALUES (%d, UTC_DATE(), '%s', 0, 1, 0, 0, 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(),
          UTC_TIMESTAMP(), 'p')
        """
            .formatted(id, topic));
  }

  /** What the messages of {@code ids} carry, in their order. */
  public List<String> payloads(List<MessageId> ids) {
    String list = ids.stream().map(MessageId::toString).collect(Collectors.joining(", "));
    return database.strings(
        "SELECT payload FROM queue_message WHERE id IN (%s) ORDER BY FIELD(id, %s)"
            .formatted(list, list));
  }
}
