package io.rowqueue.proof.cluster;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Optional;

/**
 * One fault and what came after it, by the servers' clock, which is this machine's.
 *
 * @param what the fault
 * @param began before it
 * @param writable when a server took writes again
 */
record Recovery(String what, LocalDateTime began, LocalDateTime writable) {

  private static final Duration LONGEST = Duration.ofMinutes(2);

  /** The clock of a server that takes writes; empty while this one does not, or is gone. */
  static Optional<LocalDateTime> clockIfWritable(String urlOfOne) {
    try (Connection connection = DriverManager.getConnection(urlOfOne);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT IF(@@read_only, NULL, UTC_TIMESTAMP(6))")) {
      row.next();
      return Optional.ofNullable(row.getObject(1, LocalDateTime.class));
    } catch (SQLException e) {
      return Optional.empty();
    }
  }

  /** Waits until messages are handled and enqueued again for some seconds. */
  Figures await(QueueDatabase database) {
    Await.until(
        "ten seconds of handling after " + what,
        LONGEST,
        () ->
            database.count(
                "SELECT COUNT(*) FROM effect WHERE handled_at > '%s' + INTERVAL 10 SECOND"
                    .formatted(writable)),
        handled -> handled > 0);
    return new Figures(
        what,
        millis(began, writable),
        first(database, "handled_at", "effect"),
        rate(database, began.minusSeconds(5), 5),
        rate(database, writable, 5),
        rate(database, writable.plusSeconds(5), 5));
  }

  private long first(QueueDatabase database, String column, String table) {
    return database.count(
        "SELECT TIMESTAMPDIFF(MICROSECOND, '%2$s', MIN(%1$s)) DIV 1000 FROM %3$s WHERE %1$s > '%2$s'"
            .formatted(column, writable, table));
  }

  private static long rate(QueueDatabase database, LocalDateTime from, int seconds) {
    return database.count(
            "SELECT COUNT(*) FROM effect WHERE handled_at >= '%s' AND handled_at < '%s'"
                .formatted(from, from.plusSeconds(seconds)))
        / seconds;
  }

  private static long millis(LocalDateTime from, LocalDateTime to) {
    return Duration.between(from, to).toMillis();
  }

  /**
   * What was measured.
   *
   * @param what the fault
   * @param unwritableMillis how long no server took writes
   * @param firstMillis from the first writable moment to the first handled message
   * @param before messages handled a second in the five seconds before
   * @param after in the first five seconds in which a server took writes
   * @param later in the five seconds after those
   */
  record Figures(
      String what, long unwritableMillis, long firstMillis, long before, long after, long later) {

    @Override
    public String toString() {
      return "%-28s writable after %6d ms, first handled %5d ms later; per second: %4d before, %4d in the first 5 s, %4d in the next 5"
          .formatted(what, unwritableMillis, firstMillis, before, after, later);
    }
  }
}
