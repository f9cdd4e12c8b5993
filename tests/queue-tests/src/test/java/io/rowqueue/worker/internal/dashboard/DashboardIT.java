package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.depth.Statistics.Period;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.LockWaits;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.worker.DashboardConfig;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OwnThreads.class)
@QueueTest
class DashboardIT {

  private static final String PURGED =
      "SELECT result FROM queue_audit WHERE action = 'topic.purge' AND result <> 'started'";

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String DEAD = "/dashboard/dead-letters";
  private static final String TOPICS = "/dashboard/topics";
  private static final String MESSAGES = "/dashboard/messages";

  /** One of an ordering key. */
  private static final String LINE =
      "INSERT INTO queue_message (topic, payload, ordering_key)"
          + " VALUES ('held', '{\"number\":%d}', 'customer-7')";

  private static final String SCHEDULED =
      "INSERT INTO queue_message (topic, state, priority, due_at, payload)"
          + " VALUES ('%1$s', 2, 5, UTC_TIMESTAMP(6) + INTERVAL %2$d HOUR, '{\"number\":%2$d}')";

  private static final String MANY =
      """
      INSERT INTO queue_message (topic, payload)
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < %d)
        SELECT 'many', '{}' FROM n\
      """;

  private static final String AS_MANY_MORE =
      "INSERT INTO queue_message (topic, payload) SELECT topic, payload FROM queue_message";

  private static final Pattern LISTED =
      Pattern.compile("<th scope=\"row\"><a href=\"/dashboard/messages/(\\d+)\">");

  /** A line of a worker's messages: the id, the age's class, the age. */
  private static final String HELD =
      "/messages/%s\">\\d+</a></th><td class=\"wrap\" data-name=\"Topic\"><a"
          + " href=\"[^\"]+topic=held\">held</a></td><td class=\"%s\" data-name=\"Claimed"
          + " for\">%s</td>";

  private final QueueDatabase database;
  private Scene scene;

  DashboardIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void open() {
    scene = Scene.open(database);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private long messages(String where) {
    return database.count("SELECT COUNT(*) FROM queue_message WHERE " + where);
  }

  private List<String> deadIds() {
    return database.strings("SELECT CAST(id AS CHAR) FROM queue_dead_letter ORDER BY id");
  }

  @Tag("ci")
  @Test
  void overview_ofSomeTopics_countsThem() {
    scene.fail(1);
    scene.enqueue("nobody.handles", 3);
    scene.enqueue("held", 2);
    Operator operator = scene.operator();
    Await.that("both run", SOON, () -> messages("topic = 'held' AND state = 1") == 2);
    Await.that(
        "it is read anew",
        SOON,
        () -> {
          String page = operator.page("/dashboard");
          return page.contains("Dead letters</a></dt><dd><strong>1<")
              && page.contains(
                  "nobody.handles</a></th><td class=\"num\" data-name=\"Available\">3<")
              && page.contains("<polyline");
        });
    assertThat(operator.page("/dashboard/workers")).contains("In flight: 2").contains(">held<");
    assertThat(operator.page("/dashboard?fragment=1"))
        .doesNotContain("<html")
        .contains("nobody.handles");
  }

  private static String tile(String name, String value) {
    return "<dt>%s</dt><dd><strong>%s<".formatted(name, value);
  }

  private static String start(Period period, Instant now, int later) {
    Instant start = period.start(now).plus(period.length().multipliedBy(later));
    return start.toString().replace('T', ' ').replace("Z", "");
  }

  /** Whatever the table holds, since nothing is counted for it. */
  @Test
  void overview_andTopicPage_showWhatWorkersDid() {
    scene.enqueue("held", 1);
    Operator operator = scene.operator();
    Await.that(
        "the worker writes no statistics soon",
        SOON,
        () -> LocalTime.now(ZoneOffset.UTC).getSecond() % 58 > 7);
    database.execute("DELETE FROM queue_statistics");
    Instant now = new Statistics(Transactions.on(database.dataSource())).now();
    // The same in each period around now, so that the test may run across the end of one.
    for (int period = -3; period <= 3; period++) {
      String minute = "(1, '%s'".formatted(start(Period.MINUTE, now, period));
      String ten = "(10, '%s'".formatted(start(Period.TEN_MINUTES, now, period));
      database.execute(
          "INSERT INTO queue_statistics (minutes, starts_at, topic, enqueued, completed, retried,"
              + " handling_micros, handling_4) VALUES"
              + (minute + ", 'held', 60, 120, 30, 180000000, 150),")
              + (minute + ", 'other', 0, 60, 0, 0, 0),")
              + (minute + ", '', 300, 0, 0, 0, 0),")
              + (ten + ", 'held', NULL, 1200, 60, 0, 0)"));
    }
    try {
      scene.enqueue("nobody.handles", 181); // a minute at three a second is 180
      String overview =
          Await.until(
              "the messages are counted",
              SOON,
              () -> operator.page("/dashboard"),
              page -> page.contains("hour; the backlog does not shrink<"));
      assertThat(overview)
          .contains(tile("Enqueued/s", "5"), tile("Completed/s", "3"), tile("Failed/s", "0.5"))
          .contains(tile("Retried/s", "0.5"), tile("Busy threads", "3"))
          .contains(tile("Handling time", "24 ms"), tile("Pickup latency", "–"))
          .contains("p50 18 ms", "tile warn\"><dt>Failed/s<");
      String topic = operator.page("/dashboard/topic?topic=held");
      assertThat(topic)
          .contains(tile("Enqueued/s", "1"), tile("Completed/s", "2"), tile("Failed/s", "0.5"));
      assertThat(operator.page("/dashboard/topic?topic=held&over=day"))
          .contains(tile("Enqueued/s", "–"), tile("Completed/s", "2"))
          .contains("tile \">" + tile("Failed/s", "0.1"));
      assertThat(operator.get("/dashboard/topic?topic=no.such").statusCode()).isEqualTo(404);
    } finally {
      database.execute("DELETE FROM queue_statistics");
    }
  }

  /** It shows estimates, and says so once. */
  @Test
  void overview_whereTheServerHasNoTimeToCount_countsLessFarAndEstimates() {
    int messages = 1_000;
    database.execute(MANY.formatted(messages));
    while (messages < 128_000) {
      database.execute(AS_MANY_MORE);
      messages *= 2;
    }
    DashboardConfig hasty = DashboardConfig.open().withStatementTimeout(Duration.ofMillis(5));
    try (Scene other = Scene.open(database, hasty)) {
      Operator operator = other.operator();
      operator.get("/dashboard");
      // The server would estimate the size anew only after some seconds, on a busy machine many.
      database.execute("ANALYZE TABLE queue_message");
      Pattern told =
          Pattern.compile(
              "(?s)data-name=\"Available\">≈1[0-9]0,000<.*more than"
                  + " (?:[1-9][0-9]?,)?[0-9]{2,3} messages of a topic"); // not 100,000
      Await.that(
          "it has counted less far",
          SOON,
          () -> {
            HttpResponse<String> reply = operator.get("/dashboard");
            return reply.statusCode() == 200
                && told.matcher(reply.body()).find()
                && operator.get(TOPICS).body().contains("≈ is an estimate");
          });
    }
  }

  @Test
  void topic_pausedAndResumed_isSetAndWrittenDown() {
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      Operator operator = scene.operator();
      String page = operator.done(TOPICS, TOPICS + "/pause", "topic", "held");
      assertThat(page).contains("Topic held is paused").contains("topics/resume");
      assertThat(database.count("SELECT paused FROM queue_topic WHERE topic = 'held'"))
          .isEqualTo(1);
      operator.done(TOPICS, TOPICS + "/resume", "topic", "held");
      assertThat(database.count("SELECT paused FROM queue_topic WHERE topic = 'held'")).isZero();
      assertThat(audit.messages())
          .containsExactly(
              "who=\"-\" from=127.0.0.1 did=\"topic.pause\" on=\"held\" result=\"done\"",
              "who=\"-\" from=127.0.0.1 did=\"topic.resume\" on=\"held\" result=\"done\"");
    }
  }

  @Test
  void purge_ofATopic_takesWhatWaitsAndNothingElse() {
    scene.enqueue("held", 2);
    Await.that("both run", SOON, () -> messages("topic = 'held' AND state = 1") == 2);
    scene.enqueue("held", 450);
    scene.enqueue("other", 1);
    database.execute(
        "UPDATE queue_message SET priority = -3 WHERE topic = 'held' AND state = 0 LIMIT 20",
        "UPDATE queue_message SET state = 2, due_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR"
            + " WHERE topic = 'held' AND state = 0 AND priority = 0 LIMIT 30");
    Operator operator = scene.operator();
    String purge = TOPICS + "/purge?topic=held";
    assertThat(operator.page(purge)).contains("type the topic");
    assertThat(
            operator
                .submit(purge, TOPICS + "/purge", "topic", "held", "sure", "other")
                .statusCode())
        .isEqualTo(400);
    operator.done(purge, TOPICS + "/purge", "topic", "held", "sure", "held");
    Await.that("nothing waits", SOON, () -> messages("topic = 'held' AND state <> 1") == 0);
    assertThat(messages("topic = 'held' AND state = 1")).isEqualTo(2);
    assertThat(messages("topic = 'other'")).isEqualTo(1);
  }

  /** A purge repeats until it finds nothing new. */
  @Test
  void purge_ofWhichTheServerRefusesOne_namesItOnce() {
    scene.enqueue("nobody.handles", 2);
    String first = database.strings("SELECT CAST(MIN(id) AS CHAR) FROM queue_message").get(0);
    String purge = TOPICS + "/purge?topic=nobody.handles";
    String name = "nobody.handles";
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "DELETE ON queue_message", "OLD.id = " + first)) {
      scene.operator().done(purge, TOPICS + "/purge", "topic", name, "sure", name);
      Await.that("it has ended", SOON, () -> !database.strings(PURGED).isEmpty());
    }
    assertThat(database.strings(PURGED))
        .containsExactly("completed: 1 deleted; refused and unchanged: " + first + ": not today");
  }

  /** It becomes available behind the purge, which waits for a message that somebody holds. */
  @Test
  void purge_takesWhatBecomesDueMeanwhile() throws SQLException {
    try (Connection holds = database.connect();
        Statement statement = holds.createStatement();
        Connection onlooker = database.connect()) {
      scene.enqueue("nobody.handles", 4);
      database.execute(
          "UPDATE queue_message SET state = 2, due_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR WHERE"
              + " topic = 'nobody.handles' ORDER BY id LIMIT 1");
      holds.setAutoCommit(false);
      statement.execute("SELECT id FROM queue_message WHERE state = 0 FOR UPDATE");
      String purge = TOPICS + "/purge?topic=nobody.handles";
      String name = "nobody.handles";
      scene.operator().done(purge, TOPICS + "/purge", "topic", name, "sure", name);
      LockWaits waits = new LockWaits(onlooker, database.isMariaDb());
      Await.until("the purge waits", SOON, waits::tables, found -> !found.isEmpty());
      database.execute("UPDATE queue_message SET state = 0 WHERE state = 2");
      holds.rollback();
      Await.that("nothing is left", SOON, () -> messages("topic = 'nobody.handles'") == 0);
    }
  }

  @Test
  void message_cancelled_isGone() {
    scene.enqueue("other", 2);
    String id = database.strings("SELECT CAST(MIN(id) AS CHAR) FROM queue_message").get(0);
    String own = "/dashboard/messages/" + id;
    String page = scene.operator().done(own, "/dashboard/messages/cancel", "id", id);
    assertThat(page).contains("Message " + id + " is cancelled");
    assertThat(messages("topic = 'other'")).isEqualTo(1);
    HttpResponse<String> gone = scene.operator().get(own);
    assertThat(gone.statusCode()).isEqualTo(404);
    assertThat(gone.body()).contains("Message " + id + " does not exist");
  }

  @Test
  void messages_byState_areThoseAndNoOthers() {
    database.execute(LINE.formatted(1), LINE.formatted(2), LINE.formatted(3));
    Await.that("two are blocked", SOON, () -> messages("state = 3") == 2);
    scene.enqueue("held", 1);
    Await.that("two run", SOON, () -> messages("state = 1") == 2);
    scene.enqueue("held", 1);
    database.execute(SCHEDULED.formatted("held", 9), SCHEDULED.formatted("other", 2));
    Operator operator = scene.operator();
    assertListed(operator, "topic=held&state=available", "state = 0 ORDER BY id");
    assertListed(operator, "topic=held&state=in-flight", "state = 1 ORDER BY id");
    assertListed(operator, "state=in-flight", "state = 1 ORDER BY due_at, id");
    assertListed(operator, "topic=held&state=blocked", "state = 3 ORDER BY id");
    assertListed(operator, "state=blocked", "state = 3 ORDER BY due_at, id");
    assertListed(operator, "topic=held&state=scheduled", "state = 2 AND topic = 'held'");
    assertListed(operator, "state=scheduled", "state = 2 ORDER BY id DESC");
    assertListed(operator, "state=enqueuing", "state = 4");
  }

  /** What {@code query} lists is what {@code where} finds, in that order. */
  private void assertListed(Operator operator, String query, String where) {
    List<String> ids =
        database.strings("SELECT CAST(id AS CHAR) FROM queue_message WHERE " + where);
    List<String> listed =
        LISTED
            .matcher(operator.page(MESSAGES + "?" + query))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(listed).as(query).isEqualTo(ids);
  }

  /** In the session, so that the other pages have it, too. */
  @Test
  void interval_chosen_refreshesWithoutScripts() {
    Operator operator = scene.operator();
    String limits = "/dashboard/limits?x=a%26b";
    String refreshes = "<noscript><meta http-equiv=\"refresh\"";
    assertThat(operator.page(limits)).doesNotContain(refreshes).contains("data-live=\"3\"");
    assertThat(operator.page(limits + "&refresh=10").replace("&#x3D;", "="))
        .contains(refreshes + " content=\"10; url=?x=a%26b&amp;refresh=10&amp;again=1\">")
        .contains("?x=a%26b&amp;refresh=10\" aria-current=\"true\">10 s</a>")
        .contains("?x=a%26b&amp;refresh=60\">60 s</a>")
        .contains("data-live=\"10\"");
    assertThat(operator.page("/dashboard?refresh=1")).contains("data-live=\"10\"");
    assertThat(operator.page(MESSAGES)).doesNotContain(refreshes).doesNotContain("data-live");
    assertThat(operator.page("/dashboard?refresh=0")).contains("data-live=\"0\"");
    assertThat(operator.page("/dashboard")).doesNotContain(refreshes);
    assertThat(scene.operator().page("/dashboard")).contains("data-live=\"3\"");
  }

  @Test
  void message_claimedMoreOftenThanItFailed_saysSo() {
    database.execute(
        "INSERT INTO queue_message (topic, state, claim_number, attempts, lost_claims, lock_id,"
            + " handler_started, payload) VALUES ('other', 0, 5, 2, 1, '', 0, '1'),"
            + " ('other', 1, 4, 2, 1, 'h-1-x', 1, '2'), ('other', 1, 5, 2, 1, 'h-1-x', 1, '3')");
    List<String> others = new ArrayList<>();
    for (String id : database.strings("SELECT CAST(id AS CHAR) FROM queue_message ORDER BY id")) {
      Matcher found =
          Pattern.compile("<dt>Other claims</dt><dd>(\\d+): released, lost before")
              .matcher(scene.operator().page(MESSAGES + "/" + id));
      others.add(found.find() ? found.group(1) : "");
    }
    assertThat(others).containsExactly("2", "", "1");
  }

  @Test
  void messages_byState_showWhatTheyAre() {
    database.execute(LINE.formatted(1), LINE.formatted(2), SCHEDULED.formatted("other", 9));
    Await.that("one runs", SOON, () -> messages("state = 1") == 1);
    Await.that("one is blocked", SOON, () -> messages("state = 3") == 1);
    Operator operator = scene.operator();
    assertThat(operator.page(MESSAGES + "?state=in-flight"))
        .containsSubsequence(">held<", ">in flight<", ">0<", ">12 B<", ">customer-7<");
    assertShown(operator, "state = 1", "in flight", "&quot;number&quot;: 1");
    assertThat(operator.page(MESSAGES + "?state=blocked"))
        .containsSubsequence(">held<", "tag\">blocked<", ">0<", ">12 B<", ">customer-7<");
    assertShown(operator, "state = 3", "blocked", "&quot;number&quot;: 2");
    assertThat(operator.page(MESSAGES + "?state=scheduled"))
        .containsSubsequence(">other<", ">scheduled<", ">5<", ">0<", ">12 B<", ">in 8 h 59 min<");
    assertShown(operator, "state = 2", "scheduled", "&quot;number&quot;: 9");
  }

  /** The page of the one that {@code where} finds says this. */
  private void assertShown(Operator operator, String where, String state, String payload) {
    String id =
        database.strings("SELECT CAST(id AS CHAR) FROM queue_message WHERE " + where).get(0);
    assertThat(operator.page(MESSAGES + "/" + id))
        .contains("<dt>Topic</dt><dd><a href=\"/dashboard/topic?topic&#x3D;")
        .contains("<dt>State</dt><dd>" + state + "</dd>")
        .contains("<dt>Failed attempts</dt><dd>0</dd>")
        .contains(payload);
  }

  @Test
  void messages_askedForOneId_leadToItWhereverItIs() {
    scene.fail(1);
    scene.enqueue("other", 3);
    List<String> ids = database.strings("SELECT CAST(id AS CHAR) FROM queue_message ORDER BY id");
    Operator operator = scene.operator();
    String search = MESSAGES + "?topic=&state=&q=";
    String own = MESSAGES + "/" + ids.get(1);
    assertThat(leadsTo(operator, search + ids.get(1))).isEqualTo(own);
    assertThat(operator.page(own))
        .contains("<h1>Message " + ids.get(1) + "</h1>")
        .contains("&quot;number&quot;: 1");
    String dead = deadIds().get(0);
    assertThat(leadsTo(operator, search + dead)).isEqualTo(MESSAGES + "/" + dead);
    assertThat(leadsTo(operator, MESSAGES + "/" + dead)).isEqualTo(DEAD + "/" + dead);
  }

  private static String leadsTo(Operator operator, String path) {
    HttpResponse<String> answer = operator.get(path);
    assertThat(answer.statusCode()).as(path).isEqualTo(303);
    return answer.headers().firstValue("Location").orElseThrow();
  }

  @Test
  void workers_withMessagesInFlight_showHowLongEachHasThem() {
    scene.enqueue("held", 2);
    Await.that("both run", SOON, () -> messages("state = 1") == 2);
    database.execute(
        "UPDATE queue_message SET updated_at = UTC_TIMESTAMP(6) - INTERVAL 2 HOUR"
            + " WHERE state = 1 ORDER BY id LIMIT 1");
    List<String> ids = database.strings("SELECT CAST(id AS CHAR) FROM queue_message ORDER BY id");
    assertThat(scene.operator().page("/dashboard/workers"))
        .containsPattern(HELD.formatted(ids.get(0), "num warn", "2 h 0 min"))
        .containsPattern(HELD.formatted(ids.get(1), "num", "\\d+ s"));
  }

  @Test
  void messages_ofATopic_areTurnedPageByPage() {
    scene.enqueue("other", 60);
    database.execute("UPDATE queue_message SET priority = 7 WHERE topic = 'other' AND id % 2 = 0");
    Operator operator = scene.operator();
    String first = operator.page("/dashboard/messages?topic=other&state=available");
    String next = first.replaceAll("(?s).*href=\"(/dashboard/messages\\?topic[^\"]*)\".*", "$1");
    String second = operator.page(next.replace("&amp;", "&").replace("&#x3D;", "="));
    assertThat(first.split("<th scope=\"row\">", -1)).hasSize(51);
    assertThat(second.split("<th scope=\"row\">", -1)).hasSize(11);
  }

  @Test
  void pages_whileOthersHoldLocks_waitForNobody() throws SQLException {
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      scene.fail(1);
      scene.enqueue("other", 3);
      other.setAutoCommit(false);
      statement.execute("UPDATE queue_message SET attempts = attempts + 1");
      statement.execute("UPDATE queue_dead_letter SET attempts = attempts + 1");
      statement.execute("UPDATE queue_worker SET version = version");
      Operator operator = scene.operator();
      for (String path : SecurityOfDashboardIT.PATHS) {
        CompletableFuture<String> page = CompletableFuture.supplyAsync(() -> operator.page(path));
        assertThat(page).as(path).succeedsWithin(SOON);
      }
      other.rollback();
    }
  }

  @Test
  void deadLetter_inspected_showsEveryAttemptAndItsPayload() {
    scene.fail(1);
    String page = scene.operator().page(DEAD + "/" + deadIds().get(0));
    assertThat(page)
        .contains("<b>permanent failure</b>")
        .contains("Attempt 1: io.rowqueue.handler.PermanentFailure")
        .contains("the address bounces &lt;/code&gt;")
        .contains("&quot;number&quot;: 0");
  }

  @Test
  void deadLetter_afterSeveralAttempts_showsEachWithItsOwnErrorInOrder() {
    scene.enqueue(Scene.PARTNER, 1);
    Await.that("it is set aside", SOON, () -> deadIds().size() == 1);
    String page = scene.operator().page(DEAD + "/" + deadIds().get(0));
    String[] attempts = page.split("<details class=\"failure\"", -1);
    assertThat(attempts).hasSize(4);
    assertThat(attempts[0]).contains("<b>attempts exhausted</b>").doesNotContain("Attempt ");
    assertAttempt(attempts[1], 1, IllegalStateException.class, "the partner answered 503");
    assertAttempt(attempts[2], 2, UncheckedIOException.class, "the connection was reset");
    assertAttempt(attempts[3], 3, IllegalArgumentException.class, "the partner knows no such");
    assertThat(attempts[3]).as("the last is open").startsWith(" open>");
  }

  private static void assertAttempt(String shown, int number, Class<?> error, String message) {
    assertThat(shown)
        .containsSubsequence(
            "<summary>Attempt %d: %s ".formatted(number, error.getName()),
            "class=\"said\"><code>" + message,
            "<code>" + error.getName() + ": " + message,
            "at io.rowqueue.worker.internal.dashboard.Scene");
  }

  @Test
  void redrive_ofTheSelected_leavesTheOthers() {
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      scene.fail(3);
      database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere'");
      List<String> ids = deadIds();
      Operator operator = scene.operator();
      String page =
          operator.done(
              DEAD, DEAD + "/change", "do", "redrive", "id", ids.get(0), "id", ids.get(2));
      assertThat(page).contains("2 of 2 redriven");
      assertThat(deadIds()).containsExactly(ids.get(1));
      assertThat(messages("topic = 'elsewhere' AND state = 0")).isEqualTo(2);
      String timeline = "redrive dead letter, by 127.0.0.1: 2 of 2 redriven<";
      assertThat(operator.page("/dashboard/messages/" + ids.get(2))).contains(timeline);
      assertThat(operator.page(DEAD + "/" + ids.get(1))).doesNotContain(timeline);
      assertThat(audit.messages())
          .containsExactly(
              "who=\"-\" from=127.0.0.1 did=\"dead-letter.redrive\" on=\"%s,%s\" result=\"2 of 2 redriven\""
                  .formatted(ids.get(0), ids.get(2)));
    }
  }

  @Test
  void delete_ofTheSelected_asksFirst() {
    scene.fail(2);
    String id = deadIds().get(0);
    Operator operator = scene.operator();
    HttpResponse<String> requested =
        operator.submit(DEAD, DEAD + "/change", "do", "delete", "id", id);
    assertThat(requested.statusCode()).isEqualTo(200);
    assertThat(requested.body()).contains("Permanently delete").contains("value=\"" + id + "\"");
    assertThat(deadIds()).hasSize(2);
    assertThat(operator.done(DEAD, DEAD + "/delete", "id", id)).contains("1 of 1 deleted");
    assertThat(deadIds()).hasSize(1).doesNotContain(id);
  }

  @Test
  void purge_ofATopicWithoutWaitingMessages_isNotOffered() {
    scene.enqueue("held", 2);
    scene.enqueue("other", 1);
    Await.that("both run", SOON, () -> messages("topic = 'held' AND state = 1") == 2);
    Operator operator = scene.operator();
    Await.that(
        "it is read anew",
        SOON,
        () -> {
          String page = operator.page("/dashboard/topics");
          return page.contains("id=\"purge-other\"") && !page.contains("id=\"purge-held\"");
        });
    assertThat(operator.page("/dashboard/topic?topic=other")).contains("id=\"purge\"");
    assertThat(operator.page("/dashboard/topic?topic=held")).doesNotContain("id=\"purge\"");
  }

  @Test
  void redriveAll_withALimitASecond_goesOnInTheBackground() {
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      scene.fail(6);
      database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere' ORDER BY id LIMIT 4");
      Operator operator = scene.operator();
      assertThat(operator.page(DEAD + "/all?topic=elsewhere")).contains("<b>4</b> dead letters");
      String page =
          operator.done(DEAD, DEAD + "/all", "do", "redrive", "topic", "elsewhere", "rate", "1000");
      assertThat(page).contains("Started.");
      Await.that("it ends", SOON, () -> messages("topic = 'elsewhere'") == 4);
      Await.that(
          "it says so", SOON, () -> operator.page("/dashboard/activity").contains(">completed<"));
      assertThat(operator.page("/dashboard/activity"))
          .contains(
              ">redrive all dead letters<",
              "<progress max=\"4\" value=\"4\" aria-label=",
              "</progress> 4 of 4<")
          .containsPattern("data-name=\"Started\"><time ");
      assertThat(deadIds()).hasSize(2);
      assertThat(audit.messages())
          .anyMatch(line -> line.contains("dead-letter.redrive-all") && line.contains("started"))
          .anyMatch(line -> line.contains("result=\"completed: 4 redriven\""));
    }
  }

  /** More than one look of the walk passes over. */
  @Test
  void redriveAll_ofTheOneReasonAmongThousandsOfAnother_findsIt() {
    database.execute(
        """
        INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims, reason, detail,
          worker, due_at, created_at, dead_at, payload)
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
        SELECT 1000 + 120 * a.i + b.i, 'elsewhere', 0, 1, 1, 0,
          IF(a.i = 119 AND b.i = 60, 'claims-lost', 'attempts-exhausted'), '', 'h-1-x',
          UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) - INTERVAL 1 SECOND, '{}'
          FROM n a JOIN n b
        """);
    String rare = Integer.toString(1_000 + 120 * 119 + 60);
    Operator operator = scene.operator();
    assertThat(operator.page(DEAD + "?reason=claims-lost")).contains(">" + rare + "</a>");
    assertThat(operator.page(DEAD + "/all?reason=claims-lost&seconds=10"))
        .contains("<b>1</b> dead letters");
    operator.done(
        DEAD, DEAD + "/all", "do", "redrive", "topic", "", "reason", "claims-lost", "rate", "0");
    Await.that("it is back", SOON, () -> messages("id = " + rare) == 1);
    assertThat(deadIds()).hasSize(120 * 120 - 1).doesNotContain(rare);
  }

  @Test
  void sweep_thatIsStopped_leavesTheRest() {
    scene.fail(5);
    database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere'");
    Operator operator = scene.operator();
    operator.done(DEAD, DEAD + "/all", "do", "redrive", "topic", "elsewhere", "rate", "1");
    operator.done("/dashboard/activity", "/dashboard/activity/stop", "number", "1");
    Await.that(
        "it says so", SOON, () -> operator.page("/dashboard/activity").contains(">stopped<"));
    int left = deadIds().size();
    assertThat(left).isPositive();
    Await.that(
        "the audit says what remains",
        SOON,
        () ->
            operator
                .page("/dashboard/activity")
                .contains(
                    ">stopped: %d of 5 redriven; start it again for the others<"
                        .formatted(5 - left)));
  }

  @Test
  void deleteAll_withoutBeingSure_deletesNothing() {
    scene.fail(1);
    Operator operator = scene.operator();
    assertThat(operator.submit(DEAD, DEAD + "/all", "do", "delete").statusCode()).isEqualTo(400);
    assertThat(deadIds()).hasSize(1);
    operator.done(DEAD, DEAD + "/all", "do", "delete", "sure", "yes", "rate", "0");
    Await.that("they are gone", SOON, () -> deadIds().isEmpty());
  }

  @Test
  void redrive_byTwoOperatorsAtOnce_happensOnce() {
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      scene.fail(20);
      database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere'");
      String[] fields = new String[42];
      fields[0] = "do";
      fields[1] = "redrive";
      List<String> ids = deadIds();
      for (int i = 0; i < 20; i++) {
        fields[2 + 2 * i] = "id";
        fields[3 + 2 * i] = ids.get(i);
      }
      List<CompletableFuture<String>> both =
          List.of(scene.operator(), scene.operator()).stream()
              .map(
                  one ->
                      CompletableFuture.supplyAsync(() -> one.done(DEAD, DEAD + "/change", fields)))
              .toList();
      both.forEach(CompletableFuture::join);
      assertThat(messages("topic = 'elsewhere'")).isEqualTo(20);
      int done =
          audit.messages().stream()
              .mapToInt(
                  line -> Integer.parseInt(line.replaceAll("(?s).*result=\"(\\d+) of 20.*", "$1")))
              .sum();
      assertThat(done).isEqualTo(20);
    }
  }
}
