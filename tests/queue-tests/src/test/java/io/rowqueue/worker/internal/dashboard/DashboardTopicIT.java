package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.OwnThreads;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page of one topic, and the form of its settings. */
@ExtendWith(OwnThreads.class)
@QueueTest
class DashboardTopicIT {

  private static final Topic HELD = new Topic("held");
  private static final String PAGE = "/dashboard/topic?topic=held";
  private static final String FORM = "/dashboard/topic/settings?topic=held";
  private static final String SAVE = "/dashboard/topic/settings";
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Pattern INPUT =
      Pattern.compile(
          "<input (?:type=\"hidden\" |id=\"[^\"]*\" )name=\"([^\"]+)\" value=\"([^\"]*)\"");

  private final QueueDatabase database;
  private final QueueOperations queue;
  private Scene scene;

  DashboardTopicIT(QueueDatabase database) {
    this.database = database;
    this.queue = QueueOperations.of(database.dataSource());
  }

  @BeforeEach
  void open() {
    scene = Scene.open(database);
    database.execute("DELETE FROM queue_topic");
  }

  @AfterEach
  void close() {
    database.execute("DELETE FROM queue_topic");
    scene.close();
  }

  private TopicSettings settings() {
    return queue.topics().settings(HELD);
  }

  /** The fields of the form as a browser sends them, with some changed. */
  private static String[] fields(String form, String... changed) {
    List<String> fields = new ArrayList<>();
    Matcher inputs = INPUT.matcher(form);
    while (inputs.find()) {
      if (!inputs.group(1).equals("csrf")) {
        fields.add(inputs.group(1));
        fields.add(inputs.group(2));
      }
    }
    for (int i = 0; i < changed.length; i += 2) {
      int at = fields.indexOf(changed[i]);
      if (at < 0) {
        fields.addAll(List.of(changed[i], changed[i + 1]));
      } else {
        fields.set(at + 1, changed[i + 1]);
      }
    }
    return fields.toArray(String[]::new);
  }

  @Test
  void form_thatIsValid_changesAllSettingsAndIsAudited() {
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      Operator operator = scene.operator();
      String[] fields =
          fields(
              operator.page(FORM),
              "in-flight",
              "7",
              "per-second",
              "120",
              "key-in-flight",
              "2",
              "key-per-second",
              "9",
              "weight",
              "3",
              "max-depth",
              "5000",
              "max-age",
              "300",
              "retention",
              "14",
              "policy",
              "skip");
      String page = operator.done(FORM, SAVE, fields);
      assertThat(settings())
          .isEqualTo(new TopicSettings(14, 7, 120, 2, 9, 3, 5_000L, Duration.ofMinutes(5)));
      assertThat(queue.topics().list().get(0).onDeadLetter()).isEqualTo(DeadLetterPolicy.SKIP);
      assertThat(page)
          .contains("<dt>Maximum running at once</dt><dd>7<")
          .contains("<dt>Weight</dt><dd>3<")
          .contains("<dt>Days in the archive</dt><dd>14<")
          .contains("its ordering key skips it");
      assertThat(operator.page("/dashboard/topics")).contains("at most 7 at once, at most 120/s");
      assertThat(audit.messages())
          .singleElement()
          .asString()
          .contains("did=\"topic.change\" on=\"held\"")
          .contains("in-flight: none -> 7")
          .contains("on dead letter: BLOCK -> SKIP");
      operator.done(FORM, SAVE, fields(operator.page(FORM), "in-flight", "", "max-age", ""));
      assertThat(settings()).isEqualTo(new TopicSettings(14, null, 120, 2, 9, 3, 5_000L, null));
    }
  }

  @Test
  void form_withInvalidValues_namesFieldsAndRanges_andSavesNothing() {
    Operator operator = scene.operator();
    String[] fields =
        fields(operator.page(FORM), "in-flight", "1001", "per-second", "5x", "retention", "3");
    HttpResponse<String> reply = operator.submit(FORM, SAVE, fields);
    assertThat(reply.statusCode()).isEqualTo(400);
    assertThat(reply.body())
        .contains("Maximum running at once must be 1 to 1,000, or empty; not “1001”.")
        .contains("Maximum started per second must be 1 to 1,000,000")
        .contains("name=\"in-flight\" value=\"1001\"")
        .contains("name=\"retention\" value=\"3\"")
        .contains("aria-invalid", ">1 to 1,000. Handlers that run at once");
    assertThat(settings()).isEqualTo(TopicSettings.NONE);
  }

  /** A second operator sees the change of the first, and may then overwrite it. */
  @Test
  void form_thatWasOpenedBeforeAnotherChange_isRefusedOnce() {
    Operator first = scene.operator();
    Operator second = scene.operator();
    String opened = second.page(FORM);
    first.done(FORM, SAVE, fields(first.page(FORM), "in-flight", "5"));
    HttpResponse<String> refused =
        second.submit(FORM, SAVE, fields(opened, "in-flight", "8", "per-second", "10"));
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("Now: 5").contains("name=\"in-flight\" value=\"8\"");
    assertThat(settings()).isEqualTo(TopicSettings.NONE.withMaxInFlight(5));
    second.done(FORM, SAVE, fields(refused.body()));
    assertThat(settings()).isEqualTo(TopicSettings.NONE.withMaxInFlight(8).withMaxPerSecond(10));
  }

  @Test
  void change_ofManyAtOnceFromOneState_succeedsForOne() {
    JooqTopics topics = new JooqTopics(Transactions.on(database.dataSource()));
    List<CompletableFuture<Boolean>> all =
        IntStream.rangeClosed(1, 8)
            .mapToObj(
                most ->
                    CompletableFuture.supplyAsync(
                        () ->
                            topics.change(
                                HELD,
                                TopicSettings.NONE,
                                TopicSettings.NONE.withMaxInFlight(most))))
            .toList();
    assertThat(all.stream().filter(CompletableFuture::join)).hasSize(1);
    assertThat(settings().maxInFlight()).isBetween(1, 8);
  }

  @Test
  void page_showsBlockedKeysSchedulesAndSubscribers() {
    queue
        .schedules()
        .set(
            Schedule.every("often", Duration.ofMinutes(90))
                .enqueues(io.rowqueue.NewMessage.of("held", List.of(1))));
    queue.subscriptions().subscribe("order.placed", "held");
    queue.subscriptions().subscribe("held", "held.copy");
    // In one transaction, so that all are admitted before the handlers hold both threads.
    database.execute(
        Stream.of("7", "7", "7", "7", "8", "8", "x2", "x3")
            .map("('held', '{}', 'customer-%s')"::formatted)
            .collect(
                Collectors.joining(
                    ", ", "INSERT INTO queue_message (topic, payload, ordering_key) VALUES ", "")));
    Operator operator = scene.operator();
    Await.that(
        "three and one are blocked",
        SOON,
        () -> {
          String page = operator.page(PAGE);
          return page.contains("customer-7</th><td class=\"num\" data-name=\"Blocked messages\">3<")
              && page.contains(
                  "customer-8</th><td class=\"num\" data-name=\"Blocked messages\">1<");
        });
    long head = database.count("SELECT MIN(id) FROM queue_message");
    assertThat(operator.page(PAGE))
        .contains("/dashboard/messages/" + head + "\"")
        .contains("/dashboard/dead-letters/groups?topic=held\"", ">Workers</a></dt><dd><strong>1<")
        .contains("schedules?name=often")
        .contains("order.placed")
        .contains("held.copy")
        .doesNotContain("customer-x2");
  }

  @Test
  void page_ofAKeyBlockedByADeadLetter_linksToIt() {
    scene.fail(1);
    database.execute(
        "UPDATE queue_dead_letter SET topic = 'elsewhere', ordering_key = 'customer-9'",
        "INSERT INTO queue_ordering_group (group_id, topic, ordering_key, message_id, version,"
            + " updated_at) SELECT UNHEX(LEFT(SHA2(CONCAT('elsewhere', CHAR(0), 'customer-9'),"
            + " 256), 32)), 'elsewhere', 'customer-9', id, 1, UTC_TIMESTAMP(6) FROM"
            + " queue_dead_letter",
        "INSERT INTO queue_message (topic, state, payload, ordering_key)"
            + " VALUES ('elsewhere', 3, '{}', 'customer-9')");
    long dead = database.count("SELECT id FROM queue_dead_letter");
    String path = "/dashboard/topic?topic=elsewhere";
    Operator operator = scene.operator();
    Await.that("the topic is known", SOON, () -> operator.get(path).statusCode() == 200);
    assertThat(operator.page(path))
        .contains("customer-9")
        .contains("/dashboard/dead-letters/" + dead + "\"")
        .contains("tag bad\">dead letter<");
  }

  @Test
  void page_showsItsLatestErrors_andLinksToTheirDeadLetters() {
    assertThat(scene.operator().page(PAGE)).doesNotContain("Latest errors");
    database.execute(
        "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
            + " reason, detail, fingerprint, worker, due_at, created_at, dead_at, payload) WITH"
            + " RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 13) SELECT i,"
            + " IF(i > 12, 'elsewhere', 'held'), 0, 1, 1, 0, 'attempts-exhausted',"
            + " CONCAT('java.io.IOException: error ', CHAR(64 + CEIL(i / 2) USING utf8mb4)), CEIL(i"
            + " / 2), 'h', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL i"
            + " SECOND, '{}' FROM n");
    Operator operator = scene.operator();
    String page = operator.page(PAGE);
    assertThat(page)
        .containsSubsequence("Latest errors", "error F", "error E", "error D", "error C", "error B")
        .doesNotContain("error A", "error G");
    String link =
        page.replaceAll("(?s).*<a href=\"([^\"]+)\">IOException: error F</a>.*", "$1")
            .replace("&amp;", "&")
            .replace("&#x3D;", "=");
    assertThat(operator.page(link)).contains("/dead-letters/11\"", "/dead-letters/12\"");
    assertThat(page).containsPattern("error F</a></th><td class=\"num\"[^>]*>2<");
  }

  @Test
  void page_groupsTheErrorsOfMessagesThatAreRetried() {
    String header = "Errors of messages that will be retried";
    assertThat(scene.operator().page(PAGE)).doesNotContain(header);
    database.execute(
        "INSERT INTO queue_message (id, topic, state, attempts, due_at, payload) VALUES"
            + " (901, 'held', 2, 2, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, '1'),"
            + " (902, 'held', 2, 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, '1'),"
            + " (903, 'held', 2, 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, '1'),"
            + " (904, 'held', 2, 0, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, '1')",
        "INSERT INTO queue_attempt (message_id, claim_number, attempt, worker, failed_at,"
            + " error_class, error_message, error_trace) VALUES"
            + " (901, 1, 1, 'h', UTC_TIMESTAMP(6), 'java.io.IOException', 'of before', ''),"
            + " (901, 2, 2, 'h', UTC_TIMESTAMP(6), 'java.io.IOException', 'order 17 refused', ''),"
            + " (902, 1, 1, 'h', UTC_TIMESTAMP(6) + INTERVAL 1 SECOND, 'java.io.IOException',"
            + " 'order 18 refused', ''),"
            + " (903, 1, 1, 'h', UTC_TIMESTAMP(6), 'a.B', 'another', '')");
    assertThat(scene.operator().page(PAGE))
        .containsSubsequence(
            header, "/messages/902\">IOException: order 18 refused</a>", ">2<", "another", ">1<")
        .doesNotContain("of before", "order 17");
  }

  @Test
  void page_showsTheLatestChangesOfItsTopic() {
    Operator operator = scene.operator();
    assertThat(operator.page(PAGE)).doesNotContain("Latest changes");
    String insert = "INSERT INTO queue_audit (actor, origin, action, target, result) ";
    database.execute(
        insert
            + "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11)"
            + " SELECT 'bob', 'h', 'topic.change', 'held', CONCAT('change ', i, '.') FROM n",
        insert
            + "VALUES ('ada', 'h', 'topics pause', 'held', 'topic held paused'),"
            + " ('ada', 'h', 'topic.purge', 'held.copy', 'another topic'),"
            + " ('ada', 'h', 'schedule.run', 'held', 'a schedule of the same name')");
    assertThat(operator.page(PAGE))
        .containsSubsequence(
            "Latest changes",
            "topic held paused",
            "change 11.",
            "change 3.",
            "/activity?target=held")
        .doesNotContain("change 2.", "another topic", "a schedule of the same name");
  }

  @Test
  void page_ofATopicWithRetention_showsTheNewestCompletions() {
    queue.topics().change(HELD, set -> set.withRetentionDays(30));
    database.execute(
        "INSERT INTO queue_archive (id, settled_day, topic, priority, claim_number, attempts,"
            + " lost_claims, worker, due_at, created_at, settled_at, handling_micros, payload)"
            + " VALUES (4711, UTC_DATE(), 'held', 0, 3, 2, 0, 'host-1', '2026-01-31 08:00:00',"
            + " '2026-01-31 08:00:00', '2026-01-31 08:00:01.5', 42000, 'p')");
    assertThat(scene.operator().page(PAGE))
        .contains("/dashboard/messages/4711\"")
        .contains(
            "2026-01-31 08:00:01 UTC",
            "\"Handling time\">42 ms<",
            "\"From due to completed\">1.5 s<",
            "\"Attempts\">3<",
            "host-1");
  }
}
