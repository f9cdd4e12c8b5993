package io.rowqueue.worker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.body.LargePayloads;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.RetryAfter;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.ShippedCommand;
import io.rowqueue.tests.ShippedCommand.Said;
import io.rowqueue.tests.TestWorker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operators' commands on single messages as they are shipped, on a real database. */
@QueueTest
class MessageCommandsIT {

  private final Path directory;
  private final QueueDatabase database;
  private final ShippedCommand command;
  private final MessageProducer producer = MessageProducer.create();

  MessageCommandsIT(QueueDatabase database, @TempDir Path directory) {
    this.database = database;
    this.directory = directory;
    this.command = new ShippedCommand(database);
  }

  private Said run(String line) {
    return command.run(line);
  }

  private String done(String line) {
    return command.done(line);
  }

  private long enqueue(int number) {
    NewMessage message = NewMessage.of("order", new Order(number)).withHeader("token", "s3cret");
    return producer.enqueue(database.dataSource(), message).value();
  }

  private void claim(long id) {
    database.execute(
        "UPDATE queue_message SET state = 1, lock_id = 'h-1-x', claims = 1 WHERE id = " + id);
  }

  @Test
  void messages_changed_haveTheirNewValuesAndRefusalsLeaveThemAlone() throws Exception {
    long first = enqueue(1);
    long second = enqueue(2);
    long claimed = enqueue(3);
    claim(claimed);

    assertThat(done("messages prioritize %d --priority -7".formatted(first)))
        .isEqualTo("message %d has priority -7".formatted(first));
    assertThat(done("messages reschedule %d %d --delay 2h".formatted(first, second)))
        .isEqualTo("message %d is due in 2h\nmessage %d is due in 2h".formatted(first, second));
    assertThat(done("messages reschedule %d --at 2020-01-31T08:00:00Z".formatted(second)))
        .endsWith("is due at 2020-01-31T08:00:00Z");
    Said cancelled = run("messages cancel %d %d %d".formatted(claimed, first, 999_999));

    assertThat(cancelled.exitCode()).isEqualTo(1);
    assertThat(cancelled.out()).isEqualTo("message %d cancelled\n".formatted(first));
    assertThat(cancelled.err().lines())
        .hasSize(2)
        .anyMatch(
            line ->
                line.startsWith(
                    "rowqueue: message %d was not cancelled: it is in flight, claimed by h-1-x"
                        .formatted(claimed)))
        .anyMatch(line -> line.startsWith("rowqueue: message 999999 was not cancelled: no table"));
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', id, state, priority, due_at < UTC_TIMESTAMP(6))"
                    + " FROM queue_message ORDER BY id"))
        .containsExactly(second + " 0 0 1", claimed + " 1 0 1");
  }

  @Test
  void messages_inFlight_showHowFarTheyAreAndWhoWantsThemCancelled() throws Exception {
    long claimed = enqueue(1);
    long free = enqueue(2);
    claim(claimed);
    database.execute(
        "INSERT INTO queue_progress SELECT id, claims, 17, 40, 'part-17', UTC_TIMESTAMP(6) FROM"
            + " queue_message WHERE id = "
            + claimed);
    assertThat(done("messages cancel --running %d %d".formatted(claimed, free)))
        .isEqualTo(
            "message %d is in flight; its handler is asked to stop\nmessage %d cancelled"
                .formatted(claimed, free));
    assertThat(done("messages show " + claimed))
        .contains("17 of 40 (42 %), \"part-17\"", "cancellation  asked at ");
    assertThat(run("messages cancel --running " + free).err()).contains("no table has it");
  }

  @Test
  void messages_show_findsThemEverywhereAndTellsNoSecretsUnasked() throws Exception {
    long id = enqueue(5);
    String shown = done("messages show " + id);
    assertThat(shown).contains("place     available", "topic     order", "payload   12 bytes");
    assertThat(shown).doesNotContain("s3cret", "number");
    assertThat(done("messages show --json --with-payload " + id))
        .contains("\"place\" : \"available\"", "\"token\" : \"s3cret\"", "{\\\"number\\\":5}");

    Path file = directory.resolve("payload");
    assertThat(done("messages show %d --out %s".formatted(id, file))).doesNotContain("number");
    assertThat(file).hasContent("{\"number\":5}");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");

    claim(id);
    assertThat(done("messages show " + id)).contains("place     in-flight", "worker    h-1-x");
    database.execute(
        """
        INSERT INTO queue_archive (id, settled_day, topic, priority, claims, attempts, lost, worker,
          due_at, created_at, settled_at, payload)
        SELECT id + 1, UTC_DATE(), topic, priority, claims, attempts, lost, lock_id, due_at,
          created_at, UTC_TIMESTAMP(6), payload FROM queue_message
        """);
    assertThat(done("messages show " + (id + 1))).contains("archived").contains("acknowledged  20");
    Said unknown = run("messages show --json 999999");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.out()).contains("\"place\" : \"unknown\"");
  }

  @Test
  void messages_show_ofALargePayload_saysHowLongItIsAndWritesNoEmptyFile() throws Exception {
    NewMessage large = NewMessage.of("order", LargePayloads.bytes(40_000));
    long id = producer.enqueue(database.dataSource(), large).value();
    Path file = directory.resolve("large");
    Said refused = run("messages show %d --out %s".formatted(id, file));
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .contains("lies beside the row, in queue_body", "the file %s was not made".formatted(file));
    assertThat(file).doesNotExist();
    assertThat(done("messages show --with-payload " + id))
        .contains("payload   40,000 bytes beside the row, in queue_body")
        .endsWith("payload\n  beside the row, in queue_body; it is not shown here");
  }

  @Test
  void message_thatFailedAndWaits_isShownWithItsErrors() throws Exception {
    long id = enqueue(1);
    try (TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind(
                "order",
                (order, context) -> {
                  throw new RetryAfter(Duration.ofHours(1), "no smtp");
                }))) {
      assertThat(worker.worker().runOnce()).isEqualTo(1);
    }
    assertThat(done("messages show " + id))
        .contains(
            "place     scheduled", "attempts  1", "\n\nAttempt 1 failed at 20", ", claim 1 of ")
        .contains("\n  io.rowqueue.handle.RetryAfter: no smtp\n");
    assertThat(done("messages show --json " + id))
        .contains("\"failedAttempts\" : [ {", "\"errorMessage\" : \"no smtp\"");
  }
}
