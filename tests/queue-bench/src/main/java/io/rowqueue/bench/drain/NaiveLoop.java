package io.rowqueue.bench.drain;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.drain.QueueTable.Work;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The loop that most teams write: each thread takes one row with SKIP LOCKED, handles it, deletes
 * it, and commits.
 */
final class NaiveLoop implements Drainer {

  private static final String TABLE =
      "CREATE TABLE IF NOT EXISTS naive_job (id BIGINT AUTO_INCREMENT PRIMARY KEY, payload"
          + " LONGBLOB NOT NULL, created_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6))";
  private static final String INSERT = "INSERT INTO naive_job (payload) VALUES (?)";
  private static final String SELECT =
      "SELECT id, payload FROM naive_job ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";
  private static final String DELETE = "DELETE FROM naive_job WHERE id = ?";
  private static final int CHUNK = 1_000;

  private final QueueDatabase database;
  private final int threads;
  private final Effect effect;
  private final ObjectMapper json = new ObjectMapper();

  NaiveLoop(QueueDatabase database, int threads, Effect effect) {
    this.database = database;
    this.threads = threads;
    this.effect = effect;
    effect.prepare(database);
    database.execute(TABLE);
  }

  @Override
  public String name() {
    return "hand-written loop, SKIP LOCKED";
  }

  @Override
  public int fewer() {
    return 3;
  }

  @Override
  public void fill(int messages) throws SQLException, IOException {
    try (Connection connection = Bare.connect(database);
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      for (int number = 0; number < messages; number++) {
        insert.setBytes(1, json.writeValueAsBytes(Work.of(number)));
        insert.addBatch();
        if (number % CHUNK == CHUNK - 1) {
          insert.executeBatch();
        }
      }
      insert.executeBatch();
      connection.commit();
    }
  }

  @Override
  public void drain(Progress progress) throws Exception {
    Threads.run(
        threads,
        () -> {
          handleAll(progress);
          return true;
        });
    progress.finish();
  }

  private void handleAll(Progress progress) throws SQLException, IOException {
    try (Connection connection = Bare.connect(database);
        PreparedStatement select = connection.prepareStatement(SELECT);
        PreparedStatement delete = connection.prepareStatement(DELETE)) {
      while (handle(connection, select, delete)) {
        connection.commit();
        progress.done();
      }
      connection.commit();
    }
  }

  private boolean handle(Connection connection, PreparedStatement select, PreparedStatement delete)
      throws SQLException, IOException {
    try (ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        return false;
      }
      effect.happen(connection, json.readValue(row.getBytes(2), Work.class).number());
      delete.setLong(1, row.getLong(1));
      delete.executeUpdate();
      return true;
    }
  }
}
