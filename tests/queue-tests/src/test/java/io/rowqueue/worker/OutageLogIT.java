package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.process.Books;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.tests.process.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("ci")
@QueueTest
class OutageLogIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  /** Many turns of every loop: what must not be logged meanwhile cannot be awaited. */
  private static final int AWAY_SECONDS = 10;

  @TempDir private Path folder;

  private final QueueDatabase database;

  OutageLogIT(QueueDatabase database) {
    this.database = database;
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(folder.resolve("worker.log"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void awaitLine(String what, Predicate<String> line) {
    Await.that(what, SOON, () -> lines().stream().anyMatch(line));
  }

  private void awaitHandled(int count) {
    MessageProducer.create()
        .enqueue(database.dataSource(), NewMessage.of(Step.TOPIC, new Step(Step.What.SUCCEED)));
    Orders.awaitCount(database, "SELECT COUNT(*) FROM effect", count, SOON);
  }

  /**
   * Goal: who reads the log learns once from each loop that the database is away and why, is not
   * flooded while it is, and learns that it is back.
   */
  @Test
  void outage_isSaidOnceByEachLoop_andItsEndToo() throws Exception {
    new Books(database).open();
    PluginJar.pack(StepModule.class, folder.resolve("steps.jar"));
    try (Wire wire = Wire.to(database.url())) {
      Process worker =
          Processes.worker(wire.through(database.url()), folder)
              .redirectOutput(folder.resolve("worker.log").toFile())
              .start();
      try {
        awaitHandled(1);
        int before = lines().size();
        wire.shut();
        wire.cut();
        awaitLine("claims fail", line -> line.contains("claiming failed"));
        TimeUnit.SECONDS.sleep(AWAY_SECONDS);
        List<String> away = lines().subList(before, lines().size());
        wire.open();
        awaitHandled(2);
        awaitLine("claims go on", line -> line.contains("claiming goes on; "));

        assertThat(away)
            .as("what it says meanwhile")
            .hasSizeLessThan(20)
            .noneMatch(line -> line.contains("SQL ["))
            .noneMatch(line -> line.contains(" | at "))
            .allMatch(line -> line.length() < 400);
        assertThat(away.stream().filter(line -> line.contains("claiming failed"))).hasSize(1);
        assertThat(away.stream().filter(line -> line.contains("waits for rings was lost")))
            .hasSizeLessThan(2);
      } finally {
        worker.destroyForcibly().waitFor();
      }
    }
  }
}
