package io.rowqueue.bench.measure;

import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a server's counters and both sides' processor time before and after a piece of work. The
 * counters are the whole server's: nobody else may use it meanwhile. Thread-safe.
 */
public final class Meter implements AutoCloseable {

  private static final String STATUS =
      "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Innodb_row_lock_waits',"
          + " 'Innodb_deadlocks') OR Variable_name LIKE 'Handler\\_read\\_%'";

  private static final String MYSQL_DEADLOCKS =
      "SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'";

  private static final double NANOS = 1e9;

  private final Connection connection;
  private final boolean mariaDb;
  private final ServerCpu server;
  private final com.sun.management.OperatingSystemMXBean process =
      (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /** What one look of its own costs, which is no part of the work. */
  private final Poll own;

  private Meter(Connection connection, boolean mariaDb, ServerCpu server) {
    this.connection = connection;
    this.mariaDb = mariaDb;
    this.server = server;
    // The first look prepares what the others find ready.
    mark();
    Mark one = mark();
    Mark other = mark();
    this.own = new Poll(other.statements - one.statements, other.rowsRead - one.rowsRead);
  }

  /** Of the server of {@code database}, over a connection of its own. */
  public static Meter of(QueueDatabase database) {
    return new Meter(database.connect(), database.isMariaDb(), ServerCpu.of(database));
  }

  /** How things stand now. */
  public synchronized Mark mark() {
    Map<String, Long> counters = counters();
    return new Mark(
        System.nanoTime(),
        server.seconds(),
        process.getProcessCpuTime() / NANOS,
        counters.getOrDefault("questions", 0L),
        counters.entrySet().stream()
            .filter(counter -> counter.getKey().startsWith("handler_read"))
            .mapToLong(Map.Entry::getValue)
            .sum(),
        counters.getOrDefault("innodb_row_lock_waits", 0L),
        counters.getOrDefault("innodb_deadlocks", 0L));
  }

  /** What {@code messages} took since {@code from}. */
  public Effort since(Mark from, long messages) {
    Mark now = mark();
    return new Effort(
        messages,
        (now.nanos - from.nanos) / NANOS,
        now.serverSeconds - from.serverSeconds,
        now.clientSeconds - from.clientSeconds,
        now.statements - from.statements - own.statements,
        now.rowsRead - from.rowsRead - own.rowsRead,
        now.lockWaits - from.lockWaits,
        now.deadlocks - from.deadlocks);
  }

  private Map<String, Long> counters() {
    Map<String, Long> counters = new HashMap<>();
    try (Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery(STATUS)) {
        while (rows.next()) {
          counters.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getLong(2));
        }
      }
      if (!mariaDb) {
        try (ResultSet rows = statement.executeQuery(MYSQL_DEADLOCKS)) {
          rows.next();
          counters.put("innodb_deadlocks", rows.getLong(1));
        }
      }
      return counters;
    } catch (SQLException e) {
      throw new IllegalStateException("the server's counters cannot be read", e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException("the meter's connection does not close", e);
    }
  }

  private record Poll(long statements, long rowsRead) {}

  /** A moment, and the counters at it. */
  public record Mark(
      long nanos,
      double serverSeconds,
      double clientSeconds,
      long statements,
      long rowsRead,
      long lockWaits,
      long deadlocks) {}

  /** The processor time of a server on this host, from Linux's account of its process. */
  static final class ServerCpu {

    /** Of /proc/PID/stat: "the number of clock ticks per second", 100 on every Linux of today. */
    private static final double TICKS = 100;

    /** utime and stime among the fields behind the program's name; proc(5). */
    private static final int USER = 11;

    private static final int SYSTEM = 12;

    private final @Nullable Path stat;

    private ServerCpu(@Nullable Path stat) {
      this.stat = stat;
    }

    /** Of the server of {@code database}; knows nothing if that runs elsewhere. */
    static ServerCpu of(QueueDatabase database) {
      Path dataFolder = Path.of(database.strings("SELECT @@datadir").get(0));
      Path pidFile = dataFolder.resolve(database.strings("SELECT @@pid_file").get(0));
      try {
        Path stat = Path.of("/proc", Files.readString(pidFile).strip(), "stat");
        return new ServerCpu(Files.isReadable(stat) ? stat : null);
      } catch (IOException e) {
        return new ServerCpu(null);
      }
    }

    /** So far, in seconds; NaN if it is not known. */
    double seconds() {
      if (stat == null) {
        return Double.NaN;
      }
      try {
        String line = Files.readString(stat);
        // The name stands in parentheses, and may hold blanks.
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM])) / TICKS;
      } catch (IOException e) {
        return Double.NaN;
      }
    }
  }
}
