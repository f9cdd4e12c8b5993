package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.ManyMessages;
import io.rowqueue.tests.OwnThreads;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Schedules, batches and chains, subscriptions, limits, the doctor, the audit log. */
@ExtendWith(OwnThreads.class)
@QueueTest
class DashboardPagesIT {

  private static final String SCHEDULES = "/dashboard/schedules";
  private static final String WORKERS = "/dashboard/workers";
  private static final String DOCTOR = "/dashboard/doctor";
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String SUBSCRIPTIONS = "/dashboard/subscriptions";

  private final QueueDatabase database;
  private final QueueOperations queue;
  private Scene scene;

  DashboardPagesIT(QueueDatabase database) {
    this.database = database;
    this.queue = QueueOperations.of(database.dataSource());
  }

  @BeforeEach
  void open() {
    scene = Scene.open(database);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private static NewMessage message(String topic) {
    return NewMessage.of(topic, List.of(1));
  }

  private static String utc(java.time.Instant at) {
    return java.time.format.DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT)
            .withZone(ZoneOffset.UTC)
            .format(at)
        + " UTC";
  }

  private void schedule(String name) {
    queue
        .schedules()
        .set(
            Schedule.cron(name, "30 3 * * *", ZoneId.of("Europe/Berlin"))
                .enqueues(message("report")));
  }

  @Test
  void schedules_areListed_withTheirNextThreeRunsAndInWords() {
    schedule("nightly");
    queue
        .schedules()
        .set(Schedule.every("often", Duration.ofMinutes(90)).enqueues(message("held")));
    String page = scene.operator().page(SCHEDULES);
    assertThat(page)
        .contains("<code>30 3 * * *</code>")
        .contains("at 03:30")
        .contains("Europe/Berlin")
        .contains("every 1 h 30 min");
    queue
        .schedules()
        .next("nightly", 3)
        .forEach(
            run ->
                assertThat(page)
                    .contains("datetime=\"" + run + "\"")
                    .containsPattern(utc(run) + " · [\\d-]+ 03:30:00 Europe/Berlin\""));
    assertThat(scene.operator().page(SCHEDULES + "?topic=held"))
        .contains("often")
        .doesNotContain("nightly");
    assertThat(scene.operator().page(SCHEDULES + "?name=ight"))
        .contains("nightly")
        .doesNotContain("often");
  }

  @Test
  void schedule_thatCannotBeRead_isShownWithItsFault() {
    schedule("nightly");
    database.execute("UPDATE queue_schedule SET zone = 'Mars/Olympus'");
    Operator operator = scene.operator();
    assertThat(operator.page(SCHEDULES)).contains(">invalid<").contains("Mars/Olympus");
  }

  @Test
  void schedule_runNowPausedAndResumed_isChangedAndAudited() {
    schedule("nightly");
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      Operator operator = scene.operator();
      String change = SCHEDULES + "/change";
      assertThat(operator.done(SCHEDULES, change, "name", "nightly", "do", "run"))
          .contains("Schedule nightly was run");
      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'report'"))
          .isOne();
      assertThat(operator.done(SCHEDULES, change, "name", "nightly", "do", "pause"))
          .contains("is paused")
          .contains("Resume schedule");
      assertThat(database.count("SELECT paused FROM queue_schedule")).isOne();
      operator.done(SCHEDULES, change, "name", "nightly", "do", "resume");
      assertThat(database.count("SELECT paused FROM queue_schedule")).isZero();
      assertThat(operator.submit(SCHEDULES, change, "name", "gone", "do", "run").statusCode())
          .isEqualTo(404);
      assertThat(audit.messages())
          .filteredOn(line -> line.contains("on=\"nightly\" result=\"done\""))
          .hasSize(3);
    }
  }

  @Test
  void batch_showsItsProgressAndItsMembers() {
    MessageProducer producer = MessageProducer.create();
    BatchProducer batches = BatchProducer.over(producer);
    MessageBatch batch = batches.open(database.dataSource(), BatchSettings.named("import of May"));
    List<MessageId> members =
        batches.add(
            database.dataSource(),
            batch,
            List.of(message("idle"), message("idle"), message("idle"), message("mail.send")));
    ChainProducer.over(producer)
        .add(
            database.dataSource(),
            batch,
            Chain.of(message("first")).then(message("second")).then(message("third")));
    Await.that(
        "one is dead-lettered",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_dead_letter") == 1);
    String list = scene.operator().page("/dashboard/batches");
    assertThat(list)
        .contains("import of May")
        .contains("<progress max=\"5\" value=\"1\"")
        .contains("20 %")
        .contains("→ second → third");
    String page = scene.operator().page("/dashboard/batch?id=" + batch.id());
    assertThat(page)
        .contains("/dashboard/messages/" + members.get(0) + "\"")
        .contains("/dashboard/messages/" + members.get(2) + "\"")
        .contains("/dashboard/dead-letters/" + members.get(3) + "\"")
        .contains("→ second → third");
    assertThat(scene.operator().get("/dashboard/batch?id=999999").statusCode()).isEqualTo(404);
  }

  @Test
  void membersOfABatch_farApart_areFoundPageByPage() {
    MessageProducer producer = MessageProducer.create();
    BatchProducer batches = BatchProducer.over(producer);
    MessageBatch batch = batches.open(database.dataSource(), BatchSettings.named("import"));
    List<NewMessage> fifty = Collections.nCopies(50, message("idle"));
    List<MessageId> members = new ArrayList<>(batches.add(database.dataSource(), batch, fifty));
    ManyMessages.fill(database, 12_000, 1, 0);
    for (int i = 0; i < 2; i++) {
      members.addAll(batches.add(database.dataSource(), batch, fifty));
    }
    String path = "/dashboard/batch?id=" + batch.id();
    List<String> found = new ArrayList<>();
    String next = path;
    while (!next.isEmpty()) {
      String page = scene.operator().page(next);
      List<String> shown = all("/messages/(\\d+)\"", page);
      assertThat(shown).hasSizeLessThanOrEqualTo(100);
      found.addAll(shown);
      // A page ends after a time, too, so nobody knows how many there are.
      next =
          all("&amp;after=(\\d+)\"", page).stream()
              .map(id -> path + "&after=" + id)
              .findFirst()
              .orElse("");
    }
    assertThat(found).isEqualTo(members.stream().map(MessageId::toString).toList());
  }

  private static List<String> all(String regex, String page) {
    return Pattern.compile(regex).matcher(page).results().map(one -> one.group(1)).toList();
  }

  @Test
  void batches_ofTheList_areTheOpenOnes_andAllOnRequest() {
    BatchProducer batches = BatchProducer.over(MessageProducer.create());
    for (int i = 0; i < 27; i++) {
      MessageBatch batch = batches.open(database.dataSource(), BatchSettings.named("b-" + i));
      boolean unused = i > 0 || batches.close(database.dataSource(), batch);
    }
    Operator operator = scene.operator();
    String first = operator.page("/dashboard/batches");
    assertThat(first).contains("b-26").doesNotContain(" b-1<", " b-0<").contains("Older batches");
    String next = first.replaceAll("(?s).*batches\\?before=(\\d+).*", "$1");
    assertThat(operator.page("/dashboard/batches?before=" + next))
        .contains(" b-1<")
        .doesNotContain(" b-0<", "Older batches");
    assertThat(operator.page("/dashboard/batches?all=1&before=" + next)).contains(" b-0<");
  }

  @Test
  void subscription_pausedAndResumed_isChangedAndAudited() {
    queue.subscriptions().subscribe("order.placed", "stock.reserve");
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      Operator operator = scene.operator();
      assertThat(operator.page(SUBSCRIPTIONS)).contains("order.placed").contains("stock.reserve");
      String[] fields = {"source", "order.placed", "topic", "stock.reserve", "do", "pause"};
      assertThat(operator.done(SUBSCRIPTIONS, SUBSCRIPTIONS + "/change", fields))
          .contains("gets no copies")
          .contains("Resume copies");
      assertThat(queue.subscriptions().topics("order.placed")).isEmpty();
      fields[5] = "resume";
      operator.done(SUBSCRIPTIONS, SUBSCRIPTIONS + "/change", fields);
      assertThat(queue.subscriptions().topics("order.placed")).hasSize(1);
      assertThat(audit.messages())
          .anyMatch(line -> line.contains("subscription.pause"))
          .anyMatch(line -> line.contains("on=\"order.placed -> stock.reserve\""));
    }
  }

  @Test
  void doctor_showsFindingsWithRemediesFirst_andRunsOnceForAll() {
    scene.enqueue("nobody.handles", 1);
    database.execute(
        "INSERT INTO queue_publication_lock (source, version) VALUES ('order', 0)",
        "INSERT INTO queue_subscription (source, topic) VALUES ('order', 'invoice.write')");
    Operator operator = scene.operator();
    Await.that("the first run", SOON, () -> operator.page(DOCTOR).contains("Checked <time"));
    String page = operator.page(DOCTOR);
    assertThat(page)
        .containsSubsequence(">Workers</h2>", "nobody.handles", ">Server</h2>")
        .contains("tag bad\">problem<")
        .contains("<code>queue-worker subscriptions remove</code> ends the copies");
    assertThat(page.indexOf("nobody.handles")).isLessThan(page.indexOf("tag \">ok<"));
    Pattern at = Pattern.compile("Checked <time datetime=\"([^\"]+)\"");
    assertThat(
            at.matcher(scene.operator().page(DOCTOR)).results().map(one -> one.group(1)).toList())
        .isEqualTo(at.matcher(page).results().map(one -> one.group(1)).toList());
    assertThat(operator.page("/dashboard"))
        .containsPattern(
            "Doctor: <a class=\"bad\" href=\"/dashboard/doctor\">[1-9]\\d* problems?(, \\d+"
                + " warnings?)?</a>, <time datetime=\"[^\"]+\" title=\"[^\"]+ UTC\">\\d+ s ago<");
  }

  /** The first view of the overview starts the first run, and does not wait for it. */
  @Test
  void overview_showsTheDoctorsFindings() {
    Operator operator = scene.operator();
    Await.that("a run", SOON, () -> operator.page("/dashboard").contains("Doctor: <a "));
  }

  @Test
  void audit_isSearchedBeyondItsFirstPage() {
    String insert = "INSERT INTO queue_audit (actor, origin, action, target, result) ";
    database.execute(
        insert + "VALUES ('ada', '10.1.2.3', 'topic.purge', 'orders', 'completed: 7 deleted')",
        insert
            + "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)"
            + " SELECT 'bob', '10.1.2.4', 'message.cancel', i, 'cancelled' FROM n");
    String activity = "/dashboard/activity";
    String purge = ">purge topic</td>";
    Operator operator = scene.operator();
    String first = operator.page(activity);
    assertThat(first).contains("data-live=", ">cancel message</td>").doesNotContain(purge);
    String next = first.replaceAll("(?s).*rel=\"next\" href=\"([^\"]+)\".*", "$1");
    assertThat(operator.page(next.replace("&amp;", "&").replace("&#x3D;", "=")))
        .contains(purge)
        .doesNotContain("Next page");
    for (String search :
        List.of(
            "target=order",
            "user=ada",
            "user=10.1.2.3",
            "action=purge+topic",
            "target=orders&user=ada&action=topic.purge")) {
      assertThat(operator.page(activity + "?" + search))
          .as(search)
          .contains(purge, ">ada from 10.1.2.3<", ">orders<", ">completed: 7 deleted<")
          .doesNotContain(">cancel message</td>", "data-live=", "Next page");
    }
    assertThat(operator.page(activity + "?user=ad")).contains("No changes.", "value=\"ad\"");
  }

  @Test
  void workers_areShownByHost_withTheirLoad() {
    scene.enqueue("held", 2);
    database.execute(
        "INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,"
            + " updated_at, threads, busy_threads, handled, handled_per_second, memory_used,"
            + " memory_max) VALUES ('other-1-x', 'other-host', 4711, UTC_TIMESTAMP(6) + INTERVAL 1"
            + " DAY, '1', '', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 16, 3, 4712, 12.5, 104857600,"
            + " 1073741824)");
    Operator operator = scene.operator();
    Await.that(
        "both threads are busy",
        SOON,
        () -> operator.page(WORKERS).contains("<dt>Busy threads</dt><dd>2 of 2<"));
    Await.that(
        "the other host is listed",
        SOON,
        () -> operator.page(WORKERS).contains("<h2>other-host</h2>"));
    assertThat(operator.page(WORKERS))
        .contains(
            "Process 4711",
            "<dt>Busy threads</dt><dd>3 of 16<",
            "<dt>Attempts/s</dt><dd>13<",
            "<dt>Attempts</dt><dd>4,712 ended since its start<",
            "<dt>Memory</dt><dd>100.0 MiB of 1024.0 MiB<",
            ">Pause worker</button>")
        .containsOnlyOnce("this worker</span>");
    assertThat(operator.page("/dashboard")).contains("of 18 now; mean of the last hour");
  }

  @Test
  void topics_countOnlyWorkersThatClaim() {
    database.execute(
        "INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,"
            + " updated_at, paused) VALUES ('other-1-x', 'other-host', 1, UTC_TIMESTAMP(6) +"
            + " INTERVAL 1 DAY, '1', 'aside', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 1)");
    scene.enqueue("aside", 1);
    Operator operator = scene.operator();
    Await.that(
        "the paused worker does not count",
        SOON,
        () ->
            operator
                .get("/dashboard/topic?topic=aside")
                .body()
                .contains(">Workers</a></dt><dd><strong>0<"));
  }

  @Test
  void host_thatIsDrained_isAskedOnceConfirmed_andTheOthersAreNot() {
    String row =
        "INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,"
            + " updated_at) VALUES ('other-%1$d-x', 'other-host', %1$d, UTC_TIMESTAMP(6) + INTERVAL"
            + " 1 DAY, '1', '', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))";
    database.execute(row.formatted(1), row.formatted(2));
    String draining = "SELECT COUNT(*) FROM queue_worker WHERE draining = 1";
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      Operator operator = scene.operator();
      String paused = "SELECT lock_id FROM queue_worker WHERE paused = 1";
      String one = database.strings("SELECT MIN(lock_id) FROM queue_worker").get(0);
      assertThat(operator.done(WORKERS, WORKERS + "/pause", "worker", one))
          .contains("1 of 1 asked to pause", ">paused<");
      assertThat(database.strings(paused)).containsExactly(one);
      assertThat(operator.done(WORKERS, WORKERS + "/resume", "worker", one))
          .contains("1 of 1 asked to resume");
      assertThat(database.strings(paused)).isEmpty();
      String ask = WORKERS + "/drain?host=other-host";
      Await.that("both are known", SOON, () -> operator.get(ask).body().contains("other-2-x"));
      assertThat(operator.page(ask)).contains("These 2 workers").doesNotContain("serves this dash");
      assertThat(database.count(draining)).isZero();
      String[] fields = {"worker", "other-1-x", "worker", "other-2-x", "worker", "gone-3-x"};
      assertThat(operator.done(ask, WORKERS + "/drain", fields)).contains("2 of 3 asked to drain");
      assertThat(database.count(draining + " AND host = 'other-host'")).isEqualTo(2);
      assertThat(database.count(draining)).isEqualTo(2);
      assertThat(operator.get(ask).statusCode()).isEqualTo(404);
      assertThat(audit.messages())
          .filteredOn(line -> line.contains("worker.drain"))
          .hasSize(3)
          .anyMatch(line -> line.contains("gone-3-x") && line.contains("refused"));
    }
  }

  @Test
  void limits_showWhoHoldsPermitsAndWhatMayStart() {
    database.execute(
        "INSERT INTO queue_topic (topic, max_in_flight, max_per_second, key_max_in_flight)"
            + " VALUES ('elsewhere', 3, 50, 4)",
        "INSERT INTO queue_slot (topic, slot, lock_id, taken_at) VALUES"
            + " ('elsewhere', 0, 'host-1-x', UTC_TIMESTAMP(6)),"
            + " ('elsewhere', 1, 'host-1-x', UTC_TIMESTAMP(6)), ('elsewhere', 2, '', NULL)",
        "INSERT INTO queue_rate (topic, tokens, filled_at)"
            + " VALUES ('elsewhere', 2, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
    scene.enqueue("elsewhere", 7);
    Operator operator = scene.operator();
    String limits = "/dashboard/limits";
    Await.that(
        "all are counted",
        SOON,
        () -> operator.page(limits).contains("data-name=\"Available\">7<"));
    assertThat(operator.page(limits))
        .contains("data-name=\"Running at once, limit\">3<")
        .contains("state=in-flight\">2<")
        .containsPattern("2 by host-1-x for <time [^>]+>\\d+ s</time>")
        .contains("data-name=\"Started/s, limit\">50<")
        .contains("data-name=\"Startable now\">2 of 5<")
        .contains("data-name=\"Running at once per key\">4<");
  }
}
