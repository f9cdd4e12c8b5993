package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.internal.order.Lined;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.ShippedCommand.Said;
import io.rowqueue.tests.TestWorker;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class CommandLineIT extends CommandScene {

  CommandLineIT(QueueDatabase database) {
    super(database);
  }

  private void deadLetters(int count) {
    database.execute(
        """
        INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims, reason, detail,
          worker, due_at, created_at, dead_at, headers, payload)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
        SELECT 1000000 + i, IF(i %% 2 = 0, 'even', 'odd'), 0, 3, 2, 1, 'attempts-exhausted',
          'no answer', 'h-1-x', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6),
          UTC_TIMESTAMP(6) - INTERVAL IF(i <= %d, 48, 0) HOUR, NULL, '{"number":1}' FROM n
        """
            .formatted(count, count / 2));
  }

  private long dead() {
    return database.count("SELECT COUNT(*) FROM queue_dead_letter");
  }

  @Test
  void deadLetter_ofARealFailure_isShownWithItsErrorAndRedriven() throws Exception {
    long id = enqueue(1);
    try (TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind(
                "order",
                (order, context) -> {
                  throw new PermanentFailure("the order is void");
                }))) {
      assertThat(worker.worker().runOnce()).isEqualTo(1);
    }
    assertThat(done("dead-letters list --reason permanent-failure --since 1h --topic order"))
        .startsWith("ID ")
        .contains("the order is void")
        .hasLineCount(2);
    assertThat(done("dead-letters list --topic other")).isEqualTo("No dead letters.");
    String groups = done("dead-letters groups --since 1h");
    assertThat(groups)
        .matches(
            "(?s)COUNT .*\n1 +[0-9a-f]{16} +order .* %d +\\S*PermanentFailure: the order is void"
                .formatted(id));
    String group = groups.lines().skip(1).findFirst().orElseThrow().split(" +", 3)[1];
    assertThat(done("dead-letters list --group " + group)).contains("the order is void");
    assertThat(done("dead-letters groups --topic other")).isEqualTo("No dead letters.");
    assertThat(done("dead-letters show " + id))
        .contains("reason      permanent-failure", "Attempt 1 failed at ", "PermanentFailure");
    assertThat(done("dead-letters show --json " + id))
        .contains("\"errorMessage\" : \"the order is void\"");
    assertThat(done("dead-letters redrive --dry-run " + id)).endsWith("would be redriven");
    assertThat(dead()).isEqualTo(1);

    Said redriven = refused("dead-letters redrive %d 999999".formatted(id));
    assertThat(redriven.out()).isEqualTo("dead letter %d redriven\n".formatted(id));
    assertThat(redriven.err())
        .isEqualTo("rowqueue: there is no dead letter 999999; nothing was redriven\n");
    assertThat(database.strings("SELECT CONCAT_WS(' ', id, state, attempts) FROM queue_message"))
        .containsExactly(id + " 0 0");
    assertThat(dead()).isZero();
  }

  @Test
  void deadLetters_oneOfWhichTheServerRefuses_areAllRedrivenButThatOne() throws Exception {
    deadLetters(300);
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "INSERT ON queue_message", "NEW.id = 1000007")) {
      assertThat(refused("dead-letters redrive --all --yes").err())
          .endsWith(
              "299 dead letters were redriven; the server refused 1 dead letter, which is"
                  + " unchanged: 1000007: not today\n");
      assertThat(refused("dead-letters redrive --all --yes").err())
          .contains("0 dead letters were redriven; the server refused 1 dead letter");
    }
    assertThat(database.strings("SELECT id FROM queue_dead_letter")).containsExactly("1000007");
  }

  @Test
  void deadLetters_byIds_oneOfWhichTheServerRefuses_areAllRedrivenButThatOne() throws Exception {
    deadLetters(13);
    String first = "dead-letters redrive 1000001 1000002 1000003";
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "INSERT ON queue_message", "NEW.id = 1000002")) {
      Said redriven = refused(first);
      assertThat(redriven.out())
          .isEqualTo("dead letter 1000001 redriven\ndead letter 1000003 redriven\n");
      assertThat(redriven.err())
          .startsWith("rowqueue: 1000002: ")
          .contains("not today")
          .hasLineCount(1);
    }
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "DELETE ON queue_dead_letter", "TRUE")) {
      assertThat(
              refused(
                      "dead-letters delete "
                          + String.join(" ", database.strings("SELECT id FROM queue_dead_letter")))
                  .err())
          .hasLineCount(10)
          .contains("not today; this was at ", ": 0 before it are done, and none after it");
    }
    assertThat(dead()).isEqualTo(11);
  }

  @Test
  void deadLetters_all_areRedrivenOrDeletedAsTheFiltersMean() throws Exception {
    deadLetters(1_000);
    assertThat(done("dead-letters list --limit 3"))
        .endsWith("These are 3 of 1000; --limit shows more.");
    assertThat(done("dead-letters list --json --limit 1 --until 1d"))
        .contains("\"matching\" : 500", "\"id\" : 1000001");
    assertThat(run("dead-letters redrive --all").exitCode()).isEqualTo(2);
    assertThat(done("dead-letters redrive --all --topic odd --dry-run"))
        .isEqualTo("500 dead letters of topic odd would be redriven; nothing was changed");
    assertThat(dead()).isEqualTo(1_000);

    assertThat(done("dead-letters redrive --all --topic odd --since 1d --rate-limit 1000/s"))
        .isEqualTo("250 dead letters of topic odd since 1d redriven");
    assertThat(dead()).isEqualTo(750);
    assertThat(
            database.strings("SELECT DISTINCT CONCAT(topic, state, attempts) FROM queue_message"))
        .containsExactly("odd00");
    assertThat(done("dead-letters delete --all --until 1d --limit 300"))
        .isEqualTo("300 dead letters until 1d deleted");
    assertThat(done("dead-letters delete --all --yes")).isEqualTo("450 dead letters deleted");
    assertThat(dead()).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(250);
  }

  @Test
  void deadLetters_ofAGroupErrorKeyOrHeader_areFoundAndChangedAlone() {
    deadLetters(4);
    database.execute(
        "UPDATE queue_dead_letter SET detail = 'a.B: Connection refused', fingerprint = -2 WHERE id"
            + " = 1000001",
        "UPDATE queue_dead_letter SET ordering_key = 'k' WHERE id = 1000002",
        "UPDATE queue_dead_letter SET headers = '{\"tenant\":\"7\",\"a\":\"b\"}' WHERE id ="
            + " 1000003",
        "UPDATE queue_dead_letter SET headers = 'none' WHERE id = 1000004");
    assertThat(done("dead-letters groups --topic odd --json"))
        .contains("\"group\" : \"fffffffffffffffe\"", "\"group\" : \"0000000000000000\"");
    assertThat(done("dead-letters groups --sort first-seen").lines().skip(1))
        .extracting(line -> line.split(" +", 4)[2])
        .containsExactly("odd", "even", "odd");
    assertThat(done("dead-letters groups --error-contains refused"))
        .hasLineCount(2)
        .contains("\n1      fffffffffffffffe  odd ");
    assertThat(done("dead-letters groups --header tenant=8")).isEqualTo("No dead letters.");
    assertThat(exported("--group fffffffffffffffe")).containsExactly(1_000_001L);
    assertThat(exported("--error-contains connection")).containsExactly(1_000_001L);
    assertThat(exported("--ordering-key k")).containsExactly(1_000_002L);
    assertThat(exported("--header tenant=7 --header a=b")).containsExactly(1_000_003L);
    assertThat(exported("--header tenant=7 --header a=c")).isEmpty();
    assertThat(exported("--group 0 --topic even")).containsExactly(1_000_002L, 1_000_004L);
    assertThat(done("dead-letters list --json --limit 1 --group 0")).contains("\"matching\" : 3");
    assertThat(done("dead-letters redrive --all --ordering-key k"))
        .isEqualTo("1 dead letter with ordering key k redriven");
    assertThat(done("dead-letters delete --all --group FFFFFFFFFFFFFFFE --error-contains refused"))
        .isEqualTo("1 dead letter of group fffffffffffffffe with error text refused deleted");
    assertThat(database.strings("SELECT id FROM queue_dead_letter ORDER BY id"))
        .containsExactly("1000003", "1000004");
  }

  private List<Long> exported(String filters) {
    return done("dead-letters export " + filters)
        .lines()
        .map(line -> Long.parseLong(line.replaceAll("^\\{\"id\":(\\d+),.*", "$1")))
        .toList();
  }

  @Test
  void topics_settings_areKeptAndListedWithTheDepth() throws Exception {
    enqueue(1);
    Said misspelt = refused("topics pause oder order");
    assertThat(misspelt.out()).isEqualTo("topic order paused\n");
    assertThat(misspelt.err())
        .startsWith("rowqueue: topic 'oder' was not changed: it has no message,")
        .contains("; nearest: order; --force")
        .hasLineCount(1);
    assertThat(done("topics pause later --force")).isEqualTo("topic later paused");
    assertThat(done("topics retention order --days 30"))
        .isEqualTo("topic order keeps copies for 30 days");
    assertThat(done("topics limit order --in-flight 3 --rate-limit none"))
        .isEqualTo("topic order: at most 3 at once, any number a second");
    assertThat(done("topics resume later")).isEqualTo("topic later resumed");
    assertThat(done("topics list").replaceAll(" {2,}", "|").lines())
        .contains("later|no|-|-|0|0|0|0|0|-|-")
        .anyMatch(line -> line.startsWith("order|yes|30 days|3 at once|1|0|0|0|0|"));
    assertThat(done("topics list --json")).contains("\"retentionDays\" : 30", "\"paused\" : true");
    assertThat(done("topics limit order --in-flight none"))
        .isEqualTo("topic order: any number at once");
    assertThat(done("topics retention order --none")).isEqualTo("topic order keeps no copies");
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', topic, paused, retention_days) FROM queue_topic ORDER BY"
                    + " topic"))
        .containsExactly("later 0", "order 1");
  }

  @Test
  void batches_areShownSealedRecountedAndCancelled() throws Exception {
    BatchProducer batches = BatchProducer.over(producer);
    MessageBatch batch =
        batches.open(database.dataSource(), BatchSettings.named("import").withShards(2));
    batches.add(
        database.dataSource(),
        batch,
        List.of(NewMessage.of("order", 1), NewMessage.of("order", 2)));
    long id = batch.id();
    assertThat(done("batches list").replaceAll(" {2,}", "|").lines().skip(1))
        .singleElement()
        .asString()
        .contains("2|0|0|0|2|open|", "|import");
    database.execute("DELETE FROM queue_message ORDER BY id LIMIT 1");
    assertThat(done("batches repair " + id))
        .isEqualTo("batch %d repaired: total=2 done=0 failed=0 cancelled=1".formatted(id));
    assertThat(done("batches close " + id)).isEqualTo("batch %d closed".formatted(id));
    assertThat(done("batches cancel " + id))
        .isEqualTo("batch %d cancelled: 1 message removed".formatted(id));
    assertThat(done("batches show " + id).replaceAll(" {2,}", "|").lines())
        .contains("state|complete", "cancelled|2", "left|0");
    assertThat(done("batches list")).isEqualTo("No batches.");
    assertThat(done("batches list --all --json")).contains("\"state\" : \"complete\"");
    long chain =
        ChainProducer.over(producer)
            .enqueue(
                database.dataSource(),
                Chain.of(NewMessage.of("order", 1)).then(NewMessage.of("later", 2)));
    assertThat(done("chains show " + chain).replaceAll(" {2,}", "|").lines())
        .contains("steps to come|later");
    assertThat(done("chains cancel " + chain)).isEqualTo("chain %d cancelled".formatted(chain));
  }

  @Test
  void lines_areEnqueuedShownAndSteppedOver() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(done("enqueue --topic order --payload 1 --ordering-key customer-42"))
          .startsWith("message ");
    }
    assertThat(database.strings("SELECT CONCAT_WS(' ', state, ordering_key) FROM queue_message"))
        .containsExactly("4 customer-42", "4 customer-42");
    new Lined(database).admit();
    assertThat(done("topics ordering-keys order").replaceAll(" {2,}", "|").lines().skip(1))
        .singleElement()
        .asString()
        .startsWith("|1|")
        .endsWith("|available|customer-42");
    assertThat(done("topics ordering-keys order --blocked")).isEqualTo("No ordering keys.");
    assertThat(done("topics ordering order --on-dead-letter skip"))
        .isEqualTo("ordering keys of topic order skip their dead letters");
    assertThat(database.count("SELECT skip_dead_letters FROM queue_topic")).isEqualTo(1);
  }

  @Test
  void topics_ofDeadLettersAndLivingWorkers_areKnown() throws Exception {
    deadLetters(1);
    worker("h-1-x");
    assertThat(done("topics retention odd a b --days 1")).hasLineCount(3);
    Said unknown = refused("topics resume even");
    assertThat(unknown.err()).contains("nearest: a,b,odd;");
  }

  private void worker(String lockId) {
    database.execute(
        """
        INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,
          updated_at)
        VALUES ('%s', 'h', 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, '0.1', 'a,b',
          UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))
        """
            .formatted(lockId));
  }

  @Test
  void archive_partitioned_isSoOnceAndOnlyIfAgreed() throws Exception {
    assertThat(run("archive partition").exitCode()).isEqualTo(2);
    assertThat(partitions()).isZero();
    assertThat(done("archive partition --yes")).isEqualTo("the archive is partitioned by day");
    assertThat(partitions()).as("today, two days to come, and later").isEqualTo(4);
    assertThat(done("archive partition --yes")).isEqualTo("the archive was partitioned already");
    assertThat(partitions()).isEqualTo(4);
  }

  @Test
  void archive_replayed_isEnqueuedAgainOnce() throws Exception {
    archive(1, 2, "order", "null");
    archive(2, 1, "order", "'{\"rowqueue-body\":\"rows\"}'");
    archive(3, 1, "order", "'{\"a\":\"b\"}'");
    archive(4, 1, "other", "null");
    assertThat(done("archive replay --topic order --since 36h --dry-run"))
        .isEqualTo("1 archived message would be replayed; nothing was changed");
    assertThat(done("archive replay 3 --dry-run")).isEqualTo("message 3 would be replayed");
    assertThat(run("archive replay 2 --dry-run").err())
        .contains("message 2 cannot be replayed: its payload was stored separately");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    assertThat(done("archive replay --topic order"))
        .isEqualTo("2 archived messages replayed; 1 skipped (payload stored separately)");
    assertThat(done("archive replay --topic order --after 2 --limit 1"))
        .isEqualTo("1 archived message replayed");
    assertThat(done("archive replay 4")).isEqualTo("message 4 is replayed");
    assertThat(run("archive replay 2 99").err())
        .contains("message 2 cannot be replayed: its payload was stored separately")
        .contains("the archive has no copy of message 99");
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', topic, priority, CAST(payload AS CHAR) COLLATE utf8mb4_bin,"
                    + " headers, ordering_key) FROM queue_message ORDER BY id"))
        .containsExactly(
            "order 7 p1 k",
            "order 7 p3 {\"a\":\"b\"} k",
            "order 7 p3 {\"a\":\"b\"} k",
            "other 7 p4 k");
  }

  /** A copy that was acknowledged so many days ago. */
  private void archive(int id, int days, String topic, String headers) {
    database.execute(
        """
        INSERT INTO queue_archive (id, settled_day, topic, priority, claim_number, attempts,
          lost_claims, worker, due_at, created_at, settled_at, headers, payload, ordering_key)
        VALUES (%1$d, UTC_DATE() - INTERVAL %2$d DAY, '%3$s', 7, 1, 0, 0, 'w', UTC_TIMESTAMP(),
          UTC_TIMESTAMP(), UTC_TIMESTAMP(6) - INTERVAL %2$d DAY, %4$s, 'p%1$d', 'k')
        """
            .formatted(id, days, topic, headers));
  }

  private long partitions() {
    return database.count(
        "SELECT COUNT(*) FROM information_schema.partitions WHERE table_schema = DATABASE()"
            + " AND table_name = 'queue_archive' AND partition_name IS NOT NULL");
  }

  @Test
  void workers_drainedAndPaused_areMarkedAndOthersRefused() throws Exception {
    worker("h-1-x");
    worker("h-2-y");
    Said said = refused("workers drain h-3-z h-1-x");
    assertThat(said.out()).isEqualTo("worker h-1-x: drain requested\n");
    assertThat(said.err()).isEqualTo("rowqueue: no worker 'h-3-z' is alive; nothing was changed\n");
    assertThat(done("workers list").lines())
        .anyMatch(line -> line.matches("h-1-x +h +1 +59m \\d+s +0\\.1 +20.*Z +draining .* a,b"))
        .anyMatch(line -> line.matches("h-2-y .* running .* a,b"));
    assertThat(done("workers list --json")).contains("\"draining\" : true", "\"startedAt\" : \"20");
    assertThat(done("workers pause h-2-y")).isEqualTo("worker h-2-y: pause requested");
    assertThat(done("workers list")).containsPattern("h-2-y .* paused .* a,b");
    assertThat(done("workers resume --all")).hasLineCount(2);
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker WHERE paused = 1")).isZero();
    assertThat(done("workers drain --all")).hasLineCount(2);
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker WHERE draining = 1")).isEqualTo(2);
  }

  @Test
  void workers_ofAHost_areDrainedAndTheOthersAreNot() throws Exception {
    worker("h-1-x");
    worker("h-2-y");
    worker("other-3-z");
    worker("h-4-dead");
    database.execute(
        "UPDATE queue_worker SET host = 'other' WHERE lock_id = 'other-3-z'",
        "UPDATE queue_worker SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE"
            + " WHERE lock_id = 'h-4-dead'");
    assertThat(done("workers drain --host h").lines())
        .containsExactlyInAnyOrder(
            "worker h-1-x: drain requested", "worker h-2-y: drain requested");
    assertThat(database.strings("SELECT lock_id FROM queue_worker WHERE draining = 0"))
        .containsExactlyInAnyOrder("other-3-z", "h-4-dead");
    Said said = refused("workers drain --host elsewhere");
    assertThat(said.out()).isEmpty();
    assertThat(said.err())
        .isEqualTo("rowqueue: no worker of host 'elsewhere' is alive; nothing was changed\n");
  }

  @Test
  void doctor_whereNoWorkerIsAlive_warnsInJsonAndByItsExitCode() throws Exception {
    Said said = run("doctor --json");
    assertThat(said.exitCode()).as(said.out()).isEqualTo(5);
    assertThat(said.err()).isEmpty();
    JsonNode read = new ObjectMapper().readTree(said.out());
    assertThat(read.path("worst").asText()).isEqualTo("warning");
    assertThat(read.path("findings"))
        .filteredOn(finding -> finding.path("severity").asText().equals("warning"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.path("subject").asText()).isEqualTo("workers");
              assertThat(finding.path("found").asText()).startsWith("no worker is alive");
              assertThat(finding.path("advice").asText()).isEqualTo("start a worker");
            });
  }
}
