package io.rowqueue.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The migrated schemas of this JVM. A schema that a class has left unchanged, except for rows and
 * tables of its own, is reused by the next class, since a migration takes a hundred times as long.
 * Thread-safe.
 */
final class Schemas {

  private static final Logger LOG = LoggerFactory.getLogger(Schemas.class);

  /** The definition of RowQueue's tables. */
  private static final String SHAPE =
      """
      SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable, column_default,
        collation_name, extra)
      FROM information_schema.columns
      WHERE table_schema = DATABASE() AND LEFT(table_name, 6) = 'queue_'
      UNION ALL
      SELECT CONCAT_WS(' ', table_name, index_name, seq_in_index, column_name, non_unique)
      FROM information_schema.statistics
      WHERE table_schema = DATABASE() AND LEFT(table_name, 6) = 'queue_'
      UNION ALL
      SELECT CONCAT_WS(' ', table_name, create_options)
      FROM information_schema.tables
      WHERE table_schema = DATABASE() AND LEFT(table_name, 6) = 'queue_'
      ORDER BY 1
      """;

  private static final String OTHERS =
      """
      SELECT COUNT(*) FROM information_schema.processlist
      WHERE db = DATABASE() AND id <> CONNECTION_ID()
      """;

  private static final String TEAMS_TABLES =
      """
      SELECT CONCAT('DROP TABLE `', table_name, '`') FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'
        AND LEFT(table_name, 6) <> 'queue_'
      """;

  private static final String NEW_IDS =
      """
      SELECT CONCAT('ALTER TABLE `', table_name, '` AUTO_INCREMENT = 1')
      FROM information_schema.columns
      WHERE table_schema = DATABASE() AND extra LIKE '%auto_increment%'
      """;

  private static final String OTHER_THINGS =
      """
      SELECT (SELECT COUNT(*) FROM information_schema.views WHERE table_schema = DATABASE())
        + (SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_schema = DATABASE())
        + (SELECT COUNT(*) FROM information_schema.routines WHERE routine_schema = DATABASE())
      """;

  private static final long LONGEST_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long POLL_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final Deque<QueueDatabase> FREE = new ArrayDeque<>();
  private static @Nullable List<String> shape;
  private static boolean hooked;

  private Schemas() {}

  /** Returns an empty schema for exclusive use. */
  static QueueDatabase take() {
    synchronized (FREE) {
      QueueDatabase free = FREE.poll();
      if (free != null) {
        return free;
      }
    }
    QueueDatabase fresh = QueueDatabase.create();
    synchronized (FREE) {
      shape = shape == null ? fresh.strings(SHAPE) : shape;
    }
    return fresh;
  }

  /** Called when a class has finished with {@code database}. */
  static void release(QueueDatabase database) {
    try {
      if (isAsItWas(database)) {
        database.clean();
        restartIds(database);
        keep(database);
        return;
      }
    } catch (TestServerException e) {
      LOG.debug("{} is not reused by another class: {}", database, e.getMessage());
    }
    database.close();
  }

  /** Uses one connection for all checks: a new connection costs as much as the longest of them. */
  private static boolean isAsItWas(QueueDatabase database) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      if (!isLeftAlone(statement) || !isZero(statement, OTHER_THINGS)) {
        return false;
      }
      statement.execute("SET foreign_key_checks = 0");
      for (String drop : QueueDatabase.strings(statement, TEAMS_TABLES)) {
        statement.execute(drop);
      }
      List<String> now = QueueDatabase.strings(statement, SHAPE);
      synchronized (FREE) {
        return now.equals(shape);
      }
    } catch (SQLException e) {
      throw new TestServerException("schema %s cannot be read".formatted(database.name()), e);
    }
  }

  /** Ids start at 1 for each class, as in a new schema. */
  private static void restartIds(QueueDatabase database) {
    database.execute(database.strings(NEW_IDS).toArray(String[]::new));
  }

  /** The server lists closed sessions for a moment longer. */
  private static boolean isLeftAlone(Statement statement) throws SQLException {
    long deadline = System.nanoTime() + LONGEST_CLOSE_NANOS;
    while (!isZero(statement, OTHERS)) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      LockSupport.parkNanos(POLL_EVERY_NANOS);
    }
    return true;
  }

  private static boolean isZero(Statement statement, String query) throws SQLException {
    return QueueDatabase.strings(statement, query).equals(List.of("0"));
  }

  private static void keep(QueueDatabase database) {
    synchronized (FREE) {
      FREE.push(database);
      if (!hooked) {
        hooked = true;
        Runtime.getRuntime().addShutdownHook(new Thread(Schemas::dropAll, "queue-schemas"));
      }
    }
  }

  /** An embedded server may have stopped by then, together with its schemas. */
  private static void dropAll() {
    synchronized (FREE) {
      for (QueueDatabase database : FREE) {
        try {
          database.close();
        } catch (TestServerException e) {
          LOG.debug("{} could not be dropped: {}", database, e.getMessage());
        }
      }
    }
  }
}
