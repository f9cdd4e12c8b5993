package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step.StepModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("ci")
@QueueTest
class LogFormatIT {

  @TempDir private Path folder;

  private final QueueDatabase database;

  LogFormatIT(QueueDatabase database) {
    this.database = database;
  }

  /** The log of a worker that looks once. */
  private List<String> log(String variable, String... options) throws Exception {
    PluginJar.pack(StepModule.class, folder.resolve("steps.jar"));
    Path log = folder.resolve("worker.log");
    ProcessBuilder builder =
        Processes.worker(database.url(), folder, options).redirectOutput(log.toFile());
    builder.command().add("--once");
    builder.environment().put("ROWQUEUE_LOG_FORMAT", variable);
    assertThat(Processes.ended(builder.start())).isZero();
    return Files.readAllLines(log);
  }

  private static String said(String line) {
    try {
      JsonNode read = new ObjectMapper().readTree(line);
      assertThat(read.path("level").asText()).isIn("INFO", "WARN");
      return read.path("formattedMessage").asText();
    } catch (IOException e) {
      throw new AssertionError("no object: " + line, e);
    }
  }

  @Test
  void json_askedForByTheOption_isAnObjectALine() throws Exception {
    assertThat(log("", "--log-format=json"))
        .extracting(LogFormatIT::said)
        .contains("0 handlings, and nothing is left that is available");
  }

  @Test
  void json_askedForByTheVariable_isAnObjectALine() throws Exception {
    assertThat(log("json"))
        .extracting(LogFormatIT::said)
        .contains("0 handlings, and nothing is left that is available");
  }

  @Test
  void text_whereTheOptionOverridesTheVariable_isForPeople() throws Exception {
    assertThat(log("json", "--log-format=text"))
        .anyMatch(line -> line.endsWith("0 handlings, and nothing is left that is available"))
        .noneMatch(line -> line.startsWith("{"));
  }
}
