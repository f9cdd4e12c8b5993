package io.rowqueue.bench.pickup;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.tests.process.Child;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The least that a ring and a claim can cost: a connection that sleeps in the server until it is
 * killed, and another that claims one message with one SELECT, one UPDATE and a COMMIT.
 */
final class BareClaimer {

  /** MariaDB reports a killed SLEEP as an error. */
  private static final int QUERY_INTERRUPTED = 1317;

  private static final String SELECT =
      "SELECT id, payload FROM queue_message FORCE INDEX (queue_message_claim)"
          + " WHERE topic = 'bare' AND state = 0 ORDER BY priority, id LIMIT 1"
          + " FOR UPDATE SKIP LOCKED";
  private static final String UPDATE =
      "UPDATE queue_message SET state = 1, lock_id = 'bare', claims = claims + 1 WHERE id = ?";
  private static final String DELETE = "DELETE FROM queue_message WHERE id = ?";

  private final ObjectMapper json = new ObjectMapper();
  private final List<String> picked = new ArrayList<>();
  private volatile boolean ending;

  private BareClaimer() {}

  /** With the queue's URL. */
  public static void main(String[] arguments) throws SQLException, IOException {
    String url = arguments[0] + "&useServerPrepStmts=true&cachePrepStmts=true";
    BareClaimer claimer = new BareClaimer();
    try (Connection listener = DriverManager.getConnection(url);
        Connection worker = DriverManager.getConnection(url)) {
      worker.setAutoCommit(false);
      worker.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      Child.ready(id(listener));
      Thread loop = new Thread(() -> claimer.claimUntilTheEnd(listener, worker), "bare");
      loop.setDaemon(true);
      loop.start();
      Child.awaitEnd();
      claimer.ending = true;
    }
    claimer.print();
    System.exit(0);
  }

  private static long id(Connection listener) throws SQLException {
    try (Statement statement = listener.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
      row.next();
      return row.getLong(1);
    }
  }

  private void claimUntilTheEnd(Connection listener, Connection worker) {
    try (Statement sleep = listener.createStatement();
        PreparedStatement select = worker.prepareStatement(SELECT);
        PreparedStatement update = worker.prepareStatement(UPDATE);
        PreparedStatement delete = worker.prepareStatement(DELETE)) {
      while (!ending) {
        sleep(sleep);
        for (long id = claim(worker, select, update); id > 0; id = claim(worker, select, update)) {
          delete.setLong(1, id);
          delete.executeUpdate();
          worker.commit();
        }
      }
    } catch (SQLException | IOException e) {
      if (!ending) {
        throw new IllegalStateException("the bare claimer has failed", e);
      }
    }
  }

  /** A ring that is lost costs half a second. */
  private static void sleep(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT SLEEP(0.5)")) {
      row.next();
    } catch (SQLException e) {
      if (e.getErrorCode() != QUERY_INTERRUPTED) {
        throw e;
      }
    }
  }

  /** The id; 0 if there was none. */
  private long claim(Connection worker, PreparedStatement select, PreparedStatement update)
      throws SQLException, IOException {
    try (ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        worker.commit();
        return 0;
      }
      long id = row.getLong(1);
      int number = json.readTree(row.getBytes(2)).get("number").asInt();
      update.setLong(1, id);
      update.executeUpdate();
      worker.commit();
      note(number, System.nanoTime());
      return id;
    }
  }

  private synchronized void note(int number, long nanos) {
    picked.add(PickupProducer.BARE + " " + number + " " + nanos);
  }

  private synchronized void print() {
    picked.forEach(System.out::println);
  }
}
