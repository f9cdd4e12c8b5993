package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.process.Processes;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What real processes say when something ends them early. */
@Tag("ci")
@QueueTest
class EarlyEndIT {

  private final QueueDatabase database;
  private final Path errors;

  EarlyEndIT(QueueDatabase database, @TempDir Path directory) {
    this.database = database;
    this.errors = directory.resolve("errors");
  }

  private ProcessBuilder command(String... line) {
    return Processes.command(database.url(), line).redirectError(errors.toFile());
  }

  private String said() throws IOException {
    return Files.readString(errors);
  }

  @Test
  void enqueue_fullDisk_tellsTheIdOnStandardError() throws Exception {
    File full = new File("/dev/full");
    Process process =
        command("enqueue", "--topic", "order", "--payload", "1").redirectOutput(full).start();
    assertThat(Processes.ended(process)).isEqualTo(1);
    assertThat(said())
        .contains("rowqueue: message 1 enqueued to order\n", "standard output cannot be written")
        .hasLineCount(2);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
  }

  @Test
  void list_readerGone_isQuiet() throws Exception {
    Process process = command("topics", "list").start();
    process.getInputStream().close();
    assertThat(Processes.ended(process)).isZero();
    assertThat(said()).isEmpty();
  }

  @Test
  void enqueueFile_sigterm_saysWhatIsInAndWhereToGoOn() throws Exception {
    Process process = command("enqueue", "--topic", "order", "--file", "-").start();
    OutputStream lines = process.getOutputStream();
    lines.write("1\n".repeat(1_500).getBytes(StandardCharsets.UTF_8));
    lines.flush();
    Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message", 1_000, Duration.ofMinutes(1));
    // Process.destroy() would close its input, too.
    assertThat(process.toHandle().destroy()).isTrue();
    assertThat(Processes.ended(process)).isEqualTo(143);
    assertThat(said())
        .isEqualTo(
            "rowqueue: a signal has stopped it; 1000 messages, all up to line 1000, are in the"
                + " queue; continue with --from-line 1001\n");
  }
}
