package io.rowqueue.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Noise;
import io.rowqueue.tests.process.Child;
import java.util.List;
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
}
