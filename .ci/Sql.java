import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs SQL for the scripts of this directory, where no client is installed: {@code java -cp
 * queue-worker.jar Sql.java URL do STATEMENT...} or {@code ... URL await QUERY VALUE}.
 */
final class Sql {

  private Sql() {}

  public static void main(String[] args) throws Exception {
    if (args[1].equals("await")) {
      await(args[0], args[2], args[3]);
      return;
    }
    try (var connection = DriverManager.getConnection(args[0]);
        var statement = connection.createStatement()) {
      for (int i = 2; i < args.length; i++) {
        statement.execute(args[i]);
      }
    }
  }

  /** Looks until the first column of the first row is {@code wanted}, half a minute at most. */
  private static void await(String url, String query, String wanted) throws Exception {
    Instant end = Instant.now().plus(Duration.ofSeconds(30));
    String seen = "";
    while (Instant.now().isBefore(end)) {
      try (var connection = DriverManager.getConnection(url);
          var statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(query)) {
        seen = rows.next() ? String.valueOf(rows.getString(1)) : "no row";
      }
      if (seen.equals(wanted)) {
        return;
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
    throw new AssertionError("awaited " + wanted + " from " + query + " and saw " + seen);
  }
}
