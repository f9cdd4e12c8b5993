package io.rowqueue.internal.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Noise;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Child;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a payload of 100 MB goes in and out of a JVM that could not hold it. Method: a process with
 * a heap of 64 MB enqueues it, handles it, and tells the most that its heap held.
 */
@Tag("ci")
@QueueTest
class StreamedBodyIT {

  private static final long LENGTH = 100_000_000;

  private final QueueDatabase database;

  StreamedBodyIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void hundredMegabytes_inAHeapOf64_areHandled() throws Exception {
    String digest = LargePayloads.digest(new Noise(LENGTH));
    List<String> said;
    try (Child child =
        Child.start(
            List.of("-Xmx64m", "-XX:+UseSerialGC"),
            StreamProgram.class,
            database.url(),
            Long.toString(LENGTH))) {
      said = child.rest();
    }
    String result =
        said.stream().filter(line -> line.startsWith(StreamProgram.RESULT)).findFirst().orElse("");
    assertThat(result).startsWith(StreamProgram.RESULT + digest);
    System.out.println("100 MB in and out of 64 MB: " + result);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  /** A process of little heap that enqueues a long stream, and then handles it. */
  static final class StreamProgram {

    /** Stands before the digest of what was handled, and the peak of the heap in megabytes. */
    static final String RESULT = "handled ";

    private static final Duration LONGEST = Duration.ofMinutes(2);

    private StreamProgram() {}

    public static void main(String[] arguments) throws Exception {
      String url = arguments[0];
      long length = Long.parseLong(arguments[1]);
      DataSource database = new FreshConnections(() -> DriverManager.getConnection(url));
      MessageProducer.create()
          .enqueue(database, NewMessage.streamed(LargePayloads.TOPIC, () -> new Noise(length)));
      AtomicReference<String> digest = new AtomicReference<>();
      try (TestWorker worker =
          TestWorker.startAt(
              url,
              config -> config,
              LargePayloads.streams((in, context) -> digest.set(LargePayloads.digest(in))))) {
        Await.until("its ack is committed", LONGEST, () -> count(database), left -> left == 0);
      }
      System.out.println(RESULT + digest.get() + " " + peakHeapMegabytes());
      System.exit(0);
    }

    private static long count(DataSource database) throws SQLException {
      try (Connection connection = database.getConnection();
          Statement statement = connection.createStatement();
          ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM queue_message")) {
        count.next();
        return count.getLong(1);
      }
    }

    /** All pools of the heap at their fullest, which was perhaps not at the same time. */
    private static long peakHeapMegabytes() {
      return ManagementFactory.getMemoryPoolMXBeans().stream()
              .filter(pool -> pool.getType() == MemoryType.HEAP)
              .mapToLong((MemoryPoolMXBean pool) -> pool.getPeakUsage().getUsed())
              .sum()
          >> 20;
    }
  }
}
