package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.internal.body.LargePayloads;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.ShippedCommand.Said;
import io.rowqueue.tests.TestWorker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QueueTest
class MessageCommandsIT extends CommandScene {

  private final Path directory;

  MessageCommandsIT(QueueDatabase database, @TempDir Path directory) {
    super(database);
    this.directory = directory;
  }

  private void claim(long id) {
    database.execute(
        "UPDATE queue_message SET state = 1, lock_id = 'h-1-x', claim_number = 1 WHERE id = " + id);
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
    Said cancelled = refused("messages cancel %d %d %d".formatted(claimed, first, 999_999));
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
        "INSERT INTO queue_progress SELECT id, claim_number, 17, 40, 'part-17', UTC_TIMESTAMP(6)"
            + " FROM queue_message WHERE id = "
            + claimed);
    assertThat(done("messages cancel --running %d %d".formatted(claimed, free)))
        .isEqualTo(
            "message %d is in flight; its cancellation is requested\nmessage %d cancelled"
                .formatted(claimed, free));
    assertThat(done("messages show " + claimed))
        .contains("17 of 40 (42 %), \"part-17\"", "cancellation  requested at ");
    assertThat(run("messages cancel --running " + free).err()).contains("no table has it");
  }

  @Test
  void messages_show_findsThemEverywhereAndTellsNoSecretsUnasked() throws Exception {
    long id = enqueue(5);
    String shown = done("messages show " + id);
    assertThat(shown).contains("state     available", "topic     order", "payload   12 bytes");
    assertThat(shown).doesNotContain("s3cret", "number");
    assertThat(done("messages show --json --with-payload " + id))
        .contains("\"state\" : \"available\"", "\"token\" : \"s3cret\"", "{\\\"number\\\":5}");

    Path file = directory.resolve("payload");
    assertThat(done("messages show %d --out %s".formatted(id, file))).doesNotContain("number");
    assertThat(file).hasContent("{\"number\":5}");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");

    claim(id);
    assertThat(done("messages show " + id)).contains("state     in-flight", "worker    h-1-x");
    database.execute(
        """
        INSERT INTO queue_archive (id, settled_day, topic, priority, claim_number, attempts, lost_claims, worker,
          due_at, created_at, settled_at, payload)
        SELECT id + 1, UTC_DATE(), topic, priority, claim_number, attempts, lost_claims, lock_id, due_at,
          created_at, UTC_TIMESTAMP(6), payload FROM queue_message
        """);
    assertThat(done("messages show " + (id + 1))).contains("archived").contains("acknowledged  20");
    Said unknown = refused("messages show --json 999999");
    assertThat(unknown.out()).contains("\"state\" : \"unknown\"");
  }

  @Test
  void messages_show_ofALargePayload_saysHowLongItIsAndWritesNoEmptyFile() throws Exception {
    NewMessage large = NewMessage.of("order", LargePayloads.bytes(40_000));
    long id = producer.enqueue(database.dataSource(), large).value();
    Path file = directory.resolve("large");
    assertThat(refused("messages show %d --out %s".formatted(id, file)).err())
        .contains(
            "is stored separately in queue_payload_chunk",
            "the file %s was not created".formatted(file));
    assertThat(file).doesNotExist();
    assertThat(done("messages show --with-payload " + id))
        .contains("payload   40,000 bytes, stored separately in queue_payload_chunk")
        .endsWith("payload\n  stored separately in queue_payload_chunk; it is not shown here");
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
            "state     scheduled", "failed    1", "\n\nAttempt 1 failed at 20", ", claim 1 of ")
        .contains("\n  io.rowqueue.handler.RetryAfter: no smtp\n");
    assertThat(done("messages show --json " + id))
        .contains("\"failedAttempts\" : [ {", "\"errorMessage\" : \"no smtp\"");
  }

  @Test
  void subscriptions_addedMutedAndRemoved_areWhatTheCommandsSay() throws Exception {
    assertThat(done("subscriptions list")).isEqualTo("No subscriptions.");
    assertThat(done("subscriptions add order.placed stock audit").lines())
        .containsExactly("order.placed -> stock subscribed", "order.placed -> audit subscribed");
    assertThat(done("subscriptions pause order.placed stock"))
        .isEqualTo("order.placed -> stock paused");
    assertThat(done("subscriptions list").replaceAll(" {2,}", "|").lines())
        .containsExactly(
            "SOURCE|TOPIC|STATE", "order.placed|audit|on", "order.placed|stock|paused");
    assertThat(done("subscriptions list --json")).contains("\"topic\" : \"stock\"", "true");
    assertThat(done("subscriptions test order.placed")).isEqualTo("audit");
    assertThat(done("subscriptions resume order.placed stock")).endsWith("resumed");
    assertThat(done("subscriptions test order.placed --json")).contains("\"audit\", \"stock\"");
    Said removed = refused("subscriptions remove order.placed stock other");
    assertThat(removed.out()).isEqualTo("order.placed -> stock removed\n");
    assertThat(removed.err())
        .startsWith("rowqueue: there is no subscription order.placed -> other; ");
    assertThat(run("subscriptions test nothing").exitCode()).isEqualTo(1);
  }

  @Test
  void enqueue_published_isCopiedToWhoIsSubscribed() throws Exception {
    assertThat(done("enqueue --publish --topic order.placed --payload 1"))
        .isEqualTo("message published under order.placed: no topic subscribes to it");
    done("subscriptions add order.placed stock audit");
    assertThat(done("enqueue --publish --topic order.placed --payload 2"))
        .matches("message published under order.placed: \\d+ to audit, \\d+ to stock");
    Path lines = Files.writeString(directory.resolve("published"), "3\n4\n");
    for (String way : new String[] {"", " --atomic"}) {
      assertThat(done("enqueue --publish --topic order.placed --file " + lines + way))
          .isEqualTo("2 messages published under order.placed: 4 copies");
    }
    assertThat(database.strings("SELECT DISTINCT topic FROM queue_message ORDER BY topic"))
        .containsExactly("audit", "stock");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(10);
  }

  @Test
  void enqueue_underAKey_saysWhatBecameOfIt() throws Exception {
    String under = "enqueue --topic a --dedup-key k --dedup-until claimed --payload ";
    assertThat(done(under + "1")).endsWith(" enqueued to a");
    String id = database.strings("SELECT id FROM queue_message").get(0);
    assertThat(done(under + "2"))
        .isEqualTo("message " + id + " of a holds the key; nothing was enqueued");
    assertThat(done(under + "3 --on-duplicate replace"))
        .isEqualTo("message " + id + " of a holds the key, and was replaced");
    assertThat(database.strings("SELECT payload FROM queue_message")).containsExactly("3");
    assertThat(refused(under + "4 --on-duplicate fail").err())
        .contains("'k' of topic 'a' is held by message " + id);
  }

  @Test
  void migrate_asCopy_pausesEverythingAndTakesANameOfItsOwn() {
    String name = database.strings("SELECT queue_name FROM queue_schema").get(0);
    done("enqueue --topic a --payload 1");
    done("enqueue --topic b --payload 1");
    done("schedules set nightly --cron @daily --topic a --payload 1");
    database.execute(
        "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
            + " started_at, updated_at) VALUES ('live-1-x', 'live', 1, 1, UTC_TIMESTAMP(6) +"
            + " INTERVAL 1 HOUR, 'v', 'a', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))");
    assertThat(refused("migrate --as-copy").err())
        .contains("the lease of worker live-1-x has not expired");
    assertThat(database.count("SELECT COUNT(*) FROM queue_topic WHERE paused = 1")).isZero();
    database.execute("DELETE FROM queue_worker");
    assertThat(done("migrate --as-copy"))
        .endsWith("2 topics and 1 schedule paused; the queue has a name of its own");
    assertThat(database.strings("SELECT topic FROM queue_topic WHERE paused = 1"))
        .containsExactlyInAnyOrder("a", "b");
    assertThat(database.count("SELECT COUNT(*) FROM queue_schedule WHERE paused = 1")).isOne();
    assertThat(database.strings("SELECT queue_name FROM queue_schema")).doesNotContain(name);
  }

  @Test
  void enqueue_withEverything_isStoredAndCounted() throws Exception {
    assertThat(done("migrate")).contains("is up to date at version");
    assertThat(done("enqueue --topic a --payload {} --delay 1h --priority 9 --header k=v"))
        .startsWith("message ")
        .endsWith(" enqueued to a");
    Path lines = Files.writeString(directory.resolve("lines"), "1\n\n2\n3\n");
    assertThat(done("enqueue --topic a --from-line 3 --atomic --file " + lines))
        .isEqualTo("2 messages enqueued to a");
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', state, priority, payload, headers,"
                    + " due_at > UTC_TIMESTAMP() + INTERVAL 50 MINUTE) FROM queue_message"
                    + " ORDER BY id"))
        .containsExactly("2 9 {} {\"k\":\"v\"} 1", "0 0 2 0", "0 0 3 0");
    assertThat(done("status --json")).contains("\"available\" : 2", "\"scheduled\" : 1");
    done("enqueue --topic b --payload 4 --at 2200-01-31T08:00:00+01:00");
    done("enqueue --topic b --payload 5 --in 1h");
    done("enqueue --topic b --payload 6 --at 2020-01-31T08:00:00Z");
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', state, payload, due_at = '2200-01-31 07:00:00',"
                    + " due_at > UTC_TIMESTAMP() + INTERVAL 50 MINUTE) FROM queue_message"
                    + " WHERE topic = 'b' ORDER BY id"))
        .containsExactly("2 4 1 1", "2 5 0 1", "0 6 0 0");
    assertThat(done("config check")).contains("url ", "ROWQUEUE_URL");
  }

  @Test
  void enqueueAwait_printsWhatTheHandlerGaveBack_andSoDoesAnotherAwait() throws Exception {
    try (TestWorker worker = TestWorker.start(database, doubling())) {
      assertThat(done("enqueue --topic order --payload {\"number\":21} --await 20s"))
          .isEqualTo("42");
      String id = database.strings("SELECT message_id FROM queue_result").get(0);
      assertThat(done("messages await " + id)).isEqualTo("42");
    }
  }

  @Test
  void await_ofDeadLettersAndOfWhatTakesLonger_failsInOneLine() throws Exception {
    long id =
        MessageProducer.create()
            .enqueue(database.dataSource(), NewMessage.of("order", new Order(-1)))
            .value();
    assertThat(refused("messages await %d --timeout 0s".formatted(id)).err())
        .contains("has no result yet")
        .hasLineCount(1);
    try (TestWorker worker = TestWorker.start(database, doubling())) {
      assertThat(refused("messages await %d --timeout 20s".formatted(id)).err())
          .contains("it is a dead letter (permanent-failure)", "negative")
          .hasLineCount(1);
    }
    assertThat(run("enqueue --topic a --publish --payload 1 --await 1s").exitCode()).isEqualTo(2);
  }

  private static Module doubling() {
    return LambdaHandlers.bindResult(
        "order",
        Order.class,
        (order, context) -> {
          if (order.number() < 0) {
            throw new PermanentFailure("negative");
          }
          return 2 * order.number();
        },
        HandlerSettings.defaults().withResults(Duration.ofHours(1)));
  }

  @Test
  void schedules_setListedAndChanged_areWhatTheOptionsSay() throws Exception {
    String set = "schedules set a --every 5m --topic order --payload 1 --header token=s3cret";
    assertThat(done(set)).startsWith("schedule a set; its next run is at 20");
    assertThat(done("schedules set b --cron @daily --zone Asia/Tokyo --topic t --payload 2"))
        .endsWith("T15:00:00Z");
    assertThat(done("schedules pause a")).isEqualTo("schedule a paused");
    assertThat(done("schedules list --next 2").replaceAll(" {2,}", "|").lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("a|every 5m|-|order|once|paused|20"))
        .anyMatch(
            line -> line.matches("b\\|@daily\\|Asia/Tokyo\\|t\\|once\\|on\\|.*Z, .*T15:00:00Z"));
    assertThat(done("schedules next --count 2").replaceAll(" {2,}", "|").lines())
        .hasSize(3)
        .element(2, as(STRING))
        .matches("20.*T15:00:00Z\\|b\\|t");
    done("schedules set c --every 1h --topic order --payload 1");
    assertThat(done("schedules next --count 26").lines().skip(1))
        .hasSize(26)
        .isSorted()
        .anyMatch(line -> line.matches("\\S+ +b .*"))
        .filteredOn(line -> line.matches("\\S+ +c .*"))
        .hasSizeBetween(24, 25);
    assertThat(done("schedules next --count 2 --json")).contains("\"name\" : \"c\"");
    done("schedules remove c");
    assertThat(done("schedules list --json"))
        .contains("\"every\" : \"PT5M\"", "\"paused\" : true")
        .doesNotContain("s3cret");
    assertThat(done("schedules show a")).contains("every 5m").doesNotContain("s3cret");
    assertThat(done("schedules show a --with-payload")).contains("s3cret");
    assertThat(done("schedules resume a")).isEqualTo("schedule a resumed");
    assertThat(done("schedules run-now a")).isEqualTo("schedule a enqueued its message");
    assertThat(database.strings("SELECT topic FROM queue_message")).containsExactly("order");
    Said removed = refused("schedules remove a c");
    assertThat(removed.out()).isEqualTo("schedule a removed\n");
    assertThat(removed.err()).isEqualTo("rowqueue: there is no schedule 'c'; nearest: b\n");
  }

  /** `schedules set` may have had a larger --max-payload-size. */
  @Test
  void schedules_runNow_ofAPayloadAboveTheDefaultLimit_enqueuesIt() throws Exception {
    done("schedules set a --every 5m --topic order --payload 1");
    database.execute("UPDATE queue_schedule SET payload = REPEAT('1', 5000000)");
    assertThat(done("schedules run-now a")).isEqualTo("schedule a enqueued its message");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isOne();
  }

  @Test
  void schedules_thatAWorkerDeclares_areChangedByAnOverrideOnly() throws Exception {
    String set = "schedules set a --every 5m --topic order --payload 1";
    done(set);
    database.execute("UPDATE queue_schedule SET declared_at = UTC_TIMESTAMP(6)");
    assertThat(refused(set).err())
        .startsWith("rowqueue: schedule 'a' was not changed: it is declared in the code of")
        .endsWith("change it there, or override it with --override\n");
    done(set + " --override");
    assertThat(done("schedules list")).contains("overridden");
    assertThat(done("schedules revert a")).isEqualTo("schedule a reverted");
    assertThat(done("schedules list")).doesNotContain("overridden");
  }

  @Test
  void schedules_oneIsWrittenWrongly_isReportedAndTheOthersAreTried() throws Exception {
    done("schedules set z --every 5m --topic order --payload 1");
    database.execute(
        "INSERT INTO queue_schedule (name, topic, every_micros, headers, payload)"
            + " VALUES ('a', 'order', 300000000, 'none', '1')");
    Said enqueued = refused("schedules run-now a z");
    assertThat(enqueued.out()).isEqualTo("schedule z enqueued its message\n");
    assertThat(enqueued.err())
        .startsWith("rowqueue: schedule 'a' cannot be read: the headers are not a flat JSON object")
        .hasLineCount(1);
  }
}
