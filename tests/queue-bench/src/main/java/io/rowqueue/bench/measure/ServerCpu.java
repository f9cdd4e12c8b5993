package io.rowqueue.bench.measure;

import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The processor time of a server on this host, from Linux's account of its process. */
final class ServerCpu {

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
