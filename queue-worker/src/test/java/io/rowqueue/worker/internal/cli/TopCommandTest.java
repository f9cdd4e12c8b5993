package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.depth.Statistics.Row;
import io.rowqueue.internal.depth.WorkCounter;
import io.rowqueue.internal.depth.WorkCounts;
import io.rowqueue.worker.internal.observe.TopicStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopCommandTest {

  private static TopicStatus status(long available) {
    return new TopicStatus("order", available, 0, 0, 2, 1, Duration.ofSeconds(9));
  }

  private static WorkCounts work() {
    WorkCounter counter = new WorkCounter();
    for (int i = 0; i < 90; i++) {
      counter.settled(i < 60 ? Outcome.ACKED : i < 80 ? Outcome.RETRIED : Outcome.DEAD_LETTERED);
      counter.handled(9_000_000);
    }
    return counter.unwritten();
  }

  private static Row row(int minute, @Nullable Long enqueued, WorkCounts work) {
    return new Row(
        Instant.ofEpochSecond(60L * minute), "order", enqueued, new Count(3, true), null, work);
  }

  private static TopCommand.Reading reading(long available) {
    List<Row> rows = List.of(row(0, 30L, work()), row(1, null, WorkCounts.none()));
    return new TopCommand.Reading(List.of(TopCommand.line(status(available), rows, 2)), 3, 3);
  }

  @Test
  void table_hasTheRatesAndTimesOfTheMinutesThatAreKnown() {
    String table = TopCommand.table(reading(12));
    assertThat(table).startsWith("TOPIC ").contains("ENQUEUED/S  COMPLETED/S  FAILED/S  RETRIED/S");
    assertThat(table.lines().skip(1).findFirst().orElseThrow().split(" +"))
        .containsExactly(
            "order", "12", "0", "0", "2", "1", "9.0s", "0.5", "0.5", "0.3", "0.2", "9", "-");
    assertThat(table).endsWith("\n\nLive workers: 3");
  }

  @Test
  void table_ofWorkersThatClaimNothing_saysSo() {
    assertThat(TopCommand.table(new TopCommand.Reading(List.of(), 3, 1)))
        .endsWith("\n\nLive workers: 3; 2 of them paused or draining, claiming nothing");
  }

  @Test
  void table_ofACountThatStopped_saysSo() {
    assertThat(TopCommand.table(reading(100_000))).endsWith("Counts of 100000 are lower bounds.");
  }

  @Test
  void json_withoutStatistics_hasNulls() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    TopCommand.fill(
        json, new TopCommand.Reading(List.of(TopCommand.line(status(1), List.of(), 0)), 2, 1));
    assertThat(json.get("liveWorkers").asInt()).isEqualTo(2);
    assertThat(json.get("claimingWorkers").asInt()).isOne();
    assertThat(json.get("topics").get(0).toString())
        .contains(
            "\"available\":1",
            "\"enqueuedPerSecond\":null",
            "\"completedPerSecond\":null",
            "\"retriedPerSecond\":null",
            "\"pickupMillis95\":null");
  }
}
