package io.rowqueue.bench.stream;

import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.body.Sha256;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The floor of chunks: the same rows in the same tables by plain JDBC, with their SHA-256, which
 * RowQueue reckons on both sides.
 */
final class BareRows implements Way {

  /** As large as RowQueue's. */
  private static final int CHUNK_BYTES = 256 << 10;

  private static final String INSERT =
      "INSERT INTO queue_body (message_id, seq, last, bytes) VALUES (?, ?, ?, ?)";
  private static final String READ =
      "SELECT bytes, last FROM queue_body WHERE message_id = ? AND seq = ?";
  private static final String DELETE = "DELETE FROM queue_body WHERE message_id = ?";

  private final QueueDatabase database;
  private final BareMessages messages;
  private final Connection connection;

  BareRows(QueueDatabase database) throws SQLException {
    this.database = database;
    this.messages = BareMessages.of(database);
    this.connection = messages.connection();
  }

  @Override
  public String name() {
    return "floor: chunks by plain JDBC";
  }

  @Override
  public void write(Films films) throws IOException, SQLException {
    for (int i = 0; i < films.count(); i++) {
      long id = messages.insert("rows");
      try (InputStream film = films.openDigested()) {
        insert(id, film);
      }
      connection.commit();
    }
  }

  private void insert(long id, InputStream film) throws IOException, SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      byte[] next = film.readNBytes(CHUNK_BYTES);
      for (int seq = 0; next.length > 0; seq++) {
        byte[] bytes = next;
        next = film.readNBytes(CHUNK_BYTES);
        insert.setLong(1, id);
        insert.setInt(2, seq);
        insert.setInt(3, next.length == 0 ? 1 : 0);
        insert.setBytes(4, bytes);
        insert.executeUpdate();
      }
    }
  }

  @Override
  public Effort read(Films films, Meter meter) throws SQLException {
    Mark from = meter.mark();
    for (long id : messages.all().keySet()) {
      films.checkLength(length(id));
      messages.end(id);
      deleteChunks(id);
      connection.commit();
    }
    return meter.since(from, films.allMegabytes());
  }

  private long length(long id) throws SQLException {
    MessageDigest digest = Sha256.digest();
    long length = 0;
    boolean last = false;
    try (PreparedStatement select = connection.prepareStatement(READ)) {
      for (int seq = 0; !last; seq++) {
        select.setLong(1, id);
        select.setInt(2, seq);
        try (ResultSet row = select.executeQuery()) {
          row.next();
          byte[] bytes = row.getBytes(1);
          digest.update(bytes);
          length += bytes.length;
          last = row.getInt(2) == 1;
        }
      }
    }
    digest.digest();
    return length;
  }

  private void deleteChunks(long id) throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
      delete.setLong(1, id);
      delete.executeUpdate();
    }
  }

  @Override
  public void clean() throws SQLException {
    connection.rollback();
    database.clean();
  }

  @Override
  public void close() {
    messages.close();
  }
}
