package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.depth.WorkCounter;
import io.rowqueue.internal.depth.WorkCounts;
import io.rowqueue.worker.internal.observe.TopicStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopCommandTest {

  private static TopicStatus status(long available) {
    return new TopicStatus("order", available, 0, 0, 2, 1, Duration.ofSeconds(9));
  }

  private static WorkCounts work() {
    WorkCounter counter = new WorkCounter();
    for (int i = 0; i < 90; i++) {
      counter.settled(i < 60 ? Outcome.ACKED : Outcome.RETRIED);
      counter.handled(9_000_000);
    }
    return counter.unwritten();
  }

  private static TopCommand.Line line(long available) {
    return new TopCommand.Line(status(available), work(), 2);
  }

  @Test
  void table_hasTheRatesAndTimesOfTheMinutesThatAreKnown() {
    String table = TopCommand.table(List.of(line(12)));
    assertThat(table.lines().skip(1).findFirst().orElseThrow().split(" +"))
        .containsExactly("order", "12", "0", "0", "2", "1", "9.0s", "0.5", "0.3", "9", "-");
    assertThat(table).doesNotContain("lower bounds");
  }

  @Test
  void table_ofACountThatStopped_saysSo() {
    assertThat(TopCommand.table(List.of(line(100_000))))
        .endsWith("Counts of 100000 are lower bounds.");
  }

  @Test
  void json_withoutStatistics_hasNulls() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    TopCommand.fill(json, List.of(new TopCommand.Line(status(1), WorkCounts.none(), 0)));
    assertThat(json.get("topics").get(0).toString())
        .contains("\"available\":1", "\"completedPerSecond\":null", "\"pickupMillis95\":null");
  }
}
