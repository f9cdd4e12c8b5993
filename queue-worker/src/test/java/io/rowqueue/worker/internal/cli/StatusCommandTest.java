package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.TopicStatus;
import io.rowqueue.worker.internal.observe.WorkerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusCommandTest {

  private static final QueueStatus STATUS =
      new QueueStatus(
          Instant.parse("2026-01-02T03:04:05Z"),
          List.of(
              new TopicStatus("email.send", 12, 3, 5, 4, 0, Duration.ofMillis(75_500)),
              new TopicStatus("order", 0, 0, 0, 0, 1, null)),
          List.of(
              worker("h-1-x", 1, Duration.ofMillis(12_340), "email.send"),
              worker("h-2-y", 2, Duration.ofSeconds(-3), "a", "order")));

  private static ListedWorker worker(String lockId, int pid, Duration left, String... topics) {
    WorkerStatus status = new WorkerStatus(lockId, "h", pid, "0.1", left, List.of(topics));
    return new ListedWorker(status, Instant.EPOCH, false, false, null);
  }

  @Test
  void table_alignsNumbersAndSaysWhatIsMissing() {
    assertThat(StatusCommand.table(STATUS))
        .isEqualTo(
            """
            TOPIC       AVAILABLE  SCHEDULED  BLOCKED  IN FLIGHT  DEAD LETTERS  OLDEST AVAILABLE
            email.send         12          3        5          4             0            1m 15s
            order               0          0        0          0             1                 -

            WORKER  HOST  PID  LEASE LEFT  TOPICS
            h-1-x   h       1       12.3s  email.send
            h-2-y   h       2     expired  a,order\
            """);
  }

  @Test
  void table_emptyQueue_saysSo() {
    assertThat(StatusCommand.table(new QueueStatus(Instant.EPOCH, List.of(), List.of())))
        .isEqualTo("No messages, no dead letters.\n\nNo worker is alive.");
  }

  @Test
  void json_holdsEveryNumber() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    StatusCommand.fill(json, STATUS);
    assertThat(json.get("at").asText()).isEqualTo("2026-01-02T03:04:05Z");
    JsonNode email = json.get("topics").get(0);
    assertThat(email.toString())
        .isEqualTo(
            "{\"topic\":\"email.send\",\"available\":12,\"scheduled\":3,\"blocked\":5,\"inFlight\":4,"
                + "\"deadLetters\":0,\"oldestAvailableSeconds\":75.5}");
    assertThat(json.get("topics").get(1).get("oldestAvailableSeconds").isNull()).isTrue();
    assertThat(json.get("workers").get(1).get("leaseSecondsLeft").asDouble()).isEqualTo(-3.0);
    assertThat(json.get("workers").get(1).get("topics")).hasSize(2);
  }
}
