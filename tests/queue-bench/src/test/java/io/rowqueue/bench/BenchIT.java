package io.rowqueue.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Report;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.SecondServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

@Tag("full")
@DisabledIfSystemProperty(
    named = SecondServer.PROPERTY,
    matches = "true",
    disabledReason = "the figures on another server are taken by hand")
class BenchIT {

  private static final double SMALL = 0.01;

  private final ObjectMapper json = new ObjectMapper();

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("workloads")
  void workload_small_measuresEveryContender(String name) throws Exception {
    Bench.Workload workload = Bench.named(name).orElseThrow();
    Report report = new Report(System.out, folder);
    try (QueueDatabase database = QueueDatabase.create();
        Meter meter = Meter.of(database)) {
      // Three pools of 64 connections want more than MySQL's 151.
      database.execute("SET GLOBAL max_connections = 1000");
      workload.body().run(new Stage(name, database, meter, report, 1, SMALL));

      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1"))
          .as("messages that are left in flight")
          .isZero();
    }
    assertThat(samples()).isNotEmpty().allSatisfy(line -> assertMeasured(name, line));
    assertThat(folder.resolve("tables.md")).content().contains("###");
  }

  static Stream<String> workloads() {
    return Bench.WORKLOADS.stream().map(Bench.Workload::name);
  }

  private List<JsonNode> samples() throws IOException {
    List<JsonNode> samples = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("samples.jsonl"))) {
      samples.add(json.readTree(line));
    }
    return samples;
  }

  private static void assertMeasured(String workload, JsonNode sample) {
    assertThat(sample.get("workload").asText()).isEqualTo(workload);
    if (sample.path("perSecond").isNumber()) {
      assertThat(sample.get("perSecond").asDouble()).isPositive();
      assertThat(sample.get("statementsEach").asDouble()).isPositive();
      // A small sample may end between two ticks of the operating system's account.
      assertThat(sample.get("clientMicrosEach").asDouble()).isNotNegative();
    }
  }

  @Test
  void workload_thatThereIsNot_isRefusedAsBadUsage() {
    assertThat(Bench.commandLine().execute("drian")).isEqualTo(CommandLine.ExitCode.USAGE);
  }
}
