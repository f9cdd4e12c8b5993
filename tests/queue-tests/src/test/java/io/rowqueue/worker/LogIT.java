package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.process.Ledgers;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.tests.process.Step.What;
import io.rowqueue.tests.process.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("ci")
@QueueTest
class LogIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  /** Of the lease: several times everything is done that is done by the clock. */
  private static final int RENEWALS = 12;

  @TempDir private Path folder;

  /** Many turns of every loop: what must not be logged meanwhile cannot be awaited. */
  private static final int AWAY_SECONDS = 10;

  private final QueueDatabase database;
  private Wire wire;
  private Process worker;
  private int number;

  LogIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void start() throws IOException {
    new Ledgers(database).open();
    PluginJar.pack(StepModule.class, folder.resolve("steps.jar"));
    wire = Wire.to(database.url());
    ProcessBuilder builder = Processes.worker(wire.through(database.url()), folder);
    builder.environment().put("ROWQUEUE_SHUTDOWN_TIMEOUT", "500ms");
    worker = builder.redirectOutput(log().toFile()).start();
    enqueue(What.SUCCEED, 10);
    awaitHandled(10);
  }

  @AfterEach
  void stop() throws Exception {
    worker.destroy();
    worker.waitFor();
    wire.close();
    database.execute("DELETE FROM queue_attempt", "DELETE FROM queue_dead_letter");
  }

  private Path log() {
    return folder.resolve("worker.log");
  }

  private List<String> lines() throws IOException {
    return Files.readAllLines(log());
  }

  private void enqueue(What what, int count) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            Collections.nCopies(count, NewMessage.of(Step.TOPIC, new Step(what))));
    number += count;
  }

  private void awaitHandled(int count) {
    Orders.awaitCount(database, "SELECT COUNT(*) FROM effect", count, SOON);
  }

  @Test
  void worker_inSteadyState_logsNothing() throws IOException {
    List<String> before = lines();
    for (int renewal = 0; renewal < RENEWALS; renewal++) {
      List<String> lease = database.strings("SELECT lease_until FROM queue_worker");
      enqueue(What.SUCCEED, 50);
      awaitHandled(number);
      Await.until(
          "its lease is renewed",
          SOON,
          () -> database.strings("SELECT lease_until FROM queue_worker"),
          now -> !now.equals(lease));
    }
    assertThat(before).isNotEmpty();
    assertThat(lines()).isEqualTo(before);
  }

  /** As behind a log collector that hangs: a pipe takes 64 KB. */
  @Test
  void output_thatNobodyReads_stopsNoHandling() throws Exception {
    worker.destroy();
    worker.waitFor();
    worker = Processes.worker(database.url(), folder).start();
    enqueue(What.REJECT, 200);
    Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_dead_letter", 200, SOON);
    enqueue(What.SUCCEED, 1);
    awaitHandled(11);
  }

  @Test
  void handler_thatFails_isOneLineAnAttemptWithItsCauseAndItsStackTraceOnce() throws Exception {
    int before = lines().size();
    enqueue(What.FAIL_ONCE, 1);
    awaitHandled(11);
    enqueue(What.REJECT, 1);
    Orders.awaitDeadLetter(database);
    Await.until("both are logged", SOON, this::lines, lines -> lines.size() >= before + 2);
    // Whatever came after them would stand behind what is logged now.
    enqueue(What.SUCCEED, 1);
    awaitHandled(12);

    List<String> failures = lines().subList(before, lines().size());
    assertThat(failures).hasSize(2);
    assertThat(failures.get(0))
        .contains(" WARN ", "attempt 1 of 35 failed; the next is due in 50 ms", "message=")
        .contains("topic=" + Step.TOPIC, "worker=")
        .contains("java.lang.IllegalStateException: the first attempt fails | at ");
    assertThat(failures.get(1))
        .contains(" ERROR ", "moved to the dead-letter queue (permanent-failure)", "message=")
        .contains("io.rowqueue.handler.PermanentFailure: no attempt can end well | at ");
    // Its last frame, which no other trace of the line could lack.
    assertThat(failures)
        .allSatisfy(line -> assertThat(line).containsOnlyOnce("java.lang.Thread.run("));
    assertThat(failures.get(0)).containsOnlyOnce("the first attempt fails");
    assertThat(failures.get(1)).containsOnlyOnce("no attempt can end well");
  }

  @Test
  void stop_saysWhatBecomesOfWhatRuns_andNothingOfClaimsWhereNoneWaits() throws Exception {
    assertThat(lines()).anyMatch(line -> line.contains("; SIGTERM drains up to 500 ms"));
    int before = lines().size();
    enqueue(What.REPORT, 1);
    Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_progress", 1);
    worker.destroy();
    assertThat(worker.waitFor()).isZero();
    database.execute("DELETE FROM queue_message", "DELETE FROM queue_progress");

    List<String> said = lines().subList(before, lines().size());
    assertThat(said)
        .anyMatch(line -> line.endsWith("SIGTERM received; a second signal stops at once"))
        .anyMatch(
            line -> line.contains("draining: no more claims; running handlers have up to 500 ms"))
        .anyMatch(
            line ->
                line.matches(
                    ".*1 handler still runs and is interrupted after 5\\d\\d ms; .*"
                        + Step.TOPIC
                        + ".*"))
        .anyMatch(line -> line.endsWith("stopped"))
        .noneMatch(line -> line.contains("not started"));
  }

  private void awaitLine(String text) {
    Await.until(
        text, SOON, this::lines, lines -> lines.stream().anyMatch(line -> line.contains(text)));
  }

  /**
   * Goal: who reads the log learns once from each loop that the database is away and why, is not
   * flooded while it is, and learns that it is back.
   */
  @Test
  void outage_isSaidOnceByEachLoop_andItsEndToo() throws Exception {
    int before = lines().size();
    wire.shut();
    wire.cut();
    awaitLine("claiming failed");
    TimeUnit.SECONDS.sleep(AWAY_SECONDS);
    List<String> away = lines().subList(before, lines().size());
    wire.open();
    enqueue(What.SUCCEED, 1);
    awaitHandled(11);
    awaitLine("loop claiming recovered after ");

    assertThat(away)
        .as("what it says meanwhile")
        .hasSizeLessThan(20)
        .noneMatch(line -> line.contains("SQL ["))
        .noneMatch(line -> line.contains(" | at "))
        .allMatch(line -> line.length() < 400);
    assertThat(away.stream().filter(line -> line.contains("claiming failed"))).hasSize(1);
    assertThat(away.stream().filter(line -> line.contains("waits for notifications was lost")))
        .hasSizeLessThan(2);
  }
}
