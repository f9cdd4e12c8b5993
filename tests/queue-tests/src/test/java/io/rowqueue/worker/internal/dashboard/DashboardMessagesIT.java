package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Deduplication;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.spi.Deflate;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.OwnThreads;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Finding messages on the dashboard, and changing one. */
@ExtendWith(OwnThreads.class)
@QueueTest
class DashboardMessagesIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String MESSAGES = "/dashboard/messages";
  private static final String CHANGE = MESSAGES + "/change";

  private static final Pattern LISTED =
      Pattern.compile("<th scope=\"row\"><a href=\"/dashboard/messages/(\\d+)\">");
  private static final Pattern NEXT = Pattern.compile("rel=\"next\" href=\"([^\"]+)\"");

  /** Half of them have the header, a third priority 1, each its minute. */
  private static final String MANY =
      """
      INSERT INTO queue_message (topic, priority, created_at, headers, payload)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
        SELECT 'other', i %% 3 = 0, '2026-11-28 02:00:00' + INTERVAL i MINUTE,
          IF(i %% 2 = 0, '{"tenant":"acme"}', '{"tenant":"b"}'),
          CONCAT('{"order":', i, ',"city":"Köln"}') FROM n\
      """;

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();
  private Scene scene;

  DashboardMessagesIT(QueueDatabase database) {
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

  private String enqueue(NewMessage message) {
    return producer.enqueue(database.dataSource(), message).toString();
  }

  private String only(String column) {
    return database.strings("SELECT CAST(" + column + " AS CHAR) FROM queue_message").get(0);
  }

  private String location(String search) {
    HttpResponse<String> answer = scene.operator().get(MESSAGES + "?" + search);
    return answer.headers().firstValue("Location").orElseGet(answer::body);
  }

  private List<String> all(String query) {
    List<String> ids = new ArrayList<>();
    String path = MESSAGES + "?" + query;
    while (!path.isEmpty()) {
      String page = scene.operator().page(path);
      LISTED.matcher(page).results().forEach(found -> ids.add(found.group(1)));
      Matcher next = NEXT.matcher(page);
      path = next.find() ? next.group(1).replace("&amp;", "&").replace("&#x3D;", "=") : "";
    }
    return ids;
  }

  private void assertFound(String query, String where) {
    assertThat(all(query))
        .as(query)
        .isNotEmpty()
        .isEqualTo(database.strings("SELECT CAST(id AS CHAR) FROM queue_message WHERE " + where));
  }

  @Test
  void search_byKey_leadsToTheMessage() {
    String one =
        enqueue(
            NewMessage.of("other", 1).withDeduplication(Deduplication.whileAlive("order-4711")));
    String two = enqueue(NewMessage.of("other", 2).withOrderingKey("customer-7"));
    awaitAdmission();
    Await.that(
        "the topic is known", SOON, () -> location("q=order-4711").equals(MESSAGES + "/" + one));
    assertThat(location("topic=other&q=order-4711")).isEqualTo(MESSAGES + "/" + one);
    assertThat(location("topic=other&q=customer-7")).isEqualTo(MESSAGES + "/" + two);
    assertThat(location("topic=other&q=nothing"))
        .contains("No messages match")
        .contains("/dashboard/dead-letters?key&#x3D;nothing");
    assertThat(location("topic=elsewhere&q=order-4711")).contains("No messages match");
    assertThat(location("state=scheduled&to=2026-11-28T02:00&q=order-4711"))
        .contains("Filters not applied: state, to.", MESSAGES + "/" + one + "\"");
  }

  /** A list of all states reads one after the other, and misses a message that changes its own. */
  private void awaitAdmission() {
    Await.that(
        "all are admitted",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_message WHERE state = 4") == 0);
  }

  @Test
  void search_byKeyWithAnEqualsSign_leadsToTheMessage() {
    String one = enqueue(NewMessage.of("other", 1).withOrderingKey("tenant=acme"));
    enqueue(NewMessage.of("other", 2).withHeader("tenant", "acme"));
    enqueue(NewMessage.of("other", 3).withHeader("tenant", "b"));
    Await.that(
        "it is admitted",
        SOON,
        () -> location("topic=other&q=tenant%3Dacme").equals(MESSAGES + "/" + one));
    assertThat(location("topic=other&q=tenant%3Db"))
        .contains("Not found as a key, so searched as a header. One state after the other")
        .contains("/dashboard/dead-letters?header&#x3D;tenant%3Db\"");
  }

  @Test
  void search_thatFindsSeveral_listsThem() {
    for (int i = 0; i < 3; i++) {
      enqueue(NewMessage.of("other", i).withOrderingKey("17"));
    }
    awaitAdmission();
    assertFound("topic=other&q=17", "ordering_key = '17' ORDER BY id DESC");
    String column = "<th scope=\"col\">Ordering key</th>";
    assertThat(scene.operator().page(MESSAGES + "?topic=other")).contains(column, ">17</td>");
    database.execute("UPDATE queue_message SET ordering_key = NULL");
    assertThat(scene.operator().page(MESSAGES + "?topic=other"))
        .contains(">Due</th>")
        .doesNotContain(column);
  }

  @Test
  void search_byHeaderAndTime_showsEachMatchOnce() {
    database.execute(MANY.formatted());
    String acme = "q=tenant%3Dacme";
    assertFound(acme, "headers LIKE '%acme%' ORDER BY id DESC");
    assertFound(
        "topic=other&state=available&" + acme, "headers LIKE '%acme%' ORDER BY priority, id");
    assertFound(
        "from=2026-11-28T02:10&to=2026-11-28T02:20:00&" + acme,
        "headers LIKE '%acme%' AND created_at >= '2026-11-28 02:10:00'"
            + " AND created_at < '2026-11-28 02:20:00' ORDER BY id DESC");
    assertFound(
        "state=available&from=2026-11-28T04:00",
        "created_at >= '2026-11-28 04:00' ORDER BY due_at, id");
    assertFound("state=available", "state = 0 ORDER BY due_at, id");
    assertThat(all("state=scheduled&" + acme)).isEmpty();
  }

  /** The page that ends with the last available message continues with the next state. */
  @Test
  void search_ofATopicInAllStates_showsOneAfterTheOther() {
    database.execute(MANY.formatted());
    assertFound("topic=other", "topic = 'other' ORDER BY priority, id");
    database.execute(
        "INSERT INTO queue_message (topic, state, due_at, headers, payload) SELECT topic, 2,"
            + " UTC_TIMESTAMP(6) + INTERVAL 9 HOUR, headers, payload FROM queue_message"
            + " ORDER BY id LIMIT 60");
    assertFound("topic=other", "topic = 'other' ORDER BY state, priority, id");
    String acme = "topic=other&q=tenant%3Dacme";
    assertFound(acme, "headers LIKE '%acme%' ORDER BY state, priority, id");
    assertFound(acme + "&state=scheduled", "headers LIKE '%acme%' AND state = 2 ORDER BY id");
    String page = scene.operator().page(MESSAGES + "?" + acme);
    assertThat(page).contains("One state after the other");
    assertThat(page.replaceAll("(?s).*<select id=\"state\"(.*?)</select>.*", "$1"))
        .contains("<option value=\"\">all")
        .doesNotContain(" selected");
    assertThat(scene.operator().get(MESSAGES + "?topic=other&in=gone").statusCode()).isEqualTo(400);
  }

  @Test
  void search_byPayload_showsEachMatchOnce() {
    database.execute(MANY.formatted());
    assertFound("payload=%22order%22%3A7%2C", "payload LIKE '%:7,%'");
    assertFound("payload=K%C3%B6ln", "topic = 'other' ORDER BY id DESC");
    assertFound("topic=other&payload=K%C3%B6ln", "topic = 'other' ORDER BY priority, id");
    assertThat(all("payload=k%C3%B6ln")).as("upper and lower case differ").isEmpty();
  }

  /** A page searches for a short time; the first pages may be empty. */
  @Test
  void search_ofMoreRowsThanAPageReads_isContinuedByTheNext() {
    database.execute(Scene.HAYSTACK);
    assertFound("q=tenant%3Dacme", "headers LIKE '%acme%'");
    assertThat(all("state=scheduled&q=tenant%3Dnobody")).isEmpty();
    String nobody = MESSAGES + "/all?q=tenant%3Dnobody";
    assertThat(scene.operator().page(nobody)).contains("<b>0+</b>", ">Count for 10 s</a>");
    assertThat(scene.operator().page(nobody + "&seconds=10"))
        .contains("No waiting messages match all topics, header tenant&#x3D;nobody")
        .doesNotContain(">Count for 10 s</a>");
    assertThat(scene.operator().get(nobody + "&seconds=11").statusCode()).isEqualTo(400);
  }

  @Test
  void search_byFailedAttempts_showsThoseWithAsMany() {
    database.execute(MANY.formatted(), "UPDATE queue_message SET attempts = id % 5");
    assertFound("attempts=3", "attempts >= 3 ORDER BY id DESC");
    assertFound(
        "topic=other&attempts=4&q=tenant%3Dacme",
        "attempts >= 4 AND headers LIKE '%acme%' ORDER BY priority, id");
    assertThat(all("attempts=5")).isEmpty();
    assertThat(scene.operator().get(MESSAGES + "?attempts=-1").statusCode()).isEqualTo(400);
  }

  private List<String> audited(String action) {
    return database.strings(
        "SELECT CONCAT_WS('|', target, result) FROM queue_audit WHERE action = '%s' AND result <>"
                .formatted(action)
            + " 'started'");
  }

  private List<String> states() {
    return database.strings("SELECT CONCAT(id, ' ', state) FROM queue_message ORDER BY id");
  }

  @Test
  void selected_areRunNowOrCancelled() {
    database.execute(
        "INSERT INTO queue_message (id, topic, state, due_at, payload, ordering_key) VALUES (1,"
            + " 'other', 2, '2099-01-01', '{}', NULL), (2, 'other', 2, '2099-01-01', '{}', 'k'),"
            + " (3, 'other', 0, UTC_TIMESTAMP(6), '{}', NULL), (4, 'other', 2, '2099-01-01', '{}',"
            + " NULL)");
    Operator operator = scene.operator();
    String selected = MESSAGES + "/selected";
    String shown = MESSAGES + "?topic=other";
    assertThat(
            operator.done(
                shown, selected, "topic", "other", "do", "run", "id", "1", "id", "2", "id", "3"))
        .contains("2 of 3 due now; the others were not scheduled.", "value=\"other\" selected");
    Await.that("2 is admitted", SOON, () -> states().equals(List.of("1 0", "2 0", "3 0", "4 2")));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE due_at > '2098-01-01'"))
        .isOne();
    HttpResponse<String> asked =
        operator.submit(shown, selected, "do", "cancel", "id", "3", "id", "4");
    assertThat(asked.body())
        .contains("Permanently delete 2 selected messages", "name=\"id\" value=\"4\"");
    assertThat(states()).hasSize(4);
    assertThat(
            operator.done(
                shown, selected, "do", "cancel", "sure", "yes", "id", "3", "id", "4", "id", "9"))
        .contains("2 of 3 cancelled; the others are in flight or gone.");
    assertThat(states()).containsExactly("1 0", "2 0");
    for (String what : List.of("run", "explode")) {
      assertThat(operator.submit(shown, selected, "do", what).statusCode()).isEqualTo(400);
    }
    assertThat(audited("message.run")).containsExactly("1,2,3|2 of 3 due now");
    assertThat(audited("message.cancel")).containsExactly("3,4,9|2 of 3 cancelled");
  }

  /** Half of the waiting ones are scheduled, and two of those that match are in flight. */
  @Test
  void allThatMatch_areRunNowOrCancelled_butThoseInFlight() {
    scene.enqueue("held", 2);
    String running = "SELECT COUNT(*) FROM queue_message WHERE state = 1";
    Await.that("they run", SOON, () -> database.count(running) == 2);
    database.execute(
        "UPDATE queue_message SET attempts = 3",
        MANY.formatted(),
        MANY.formatted(),
        "UPDATE queue_message SET attempts = 2 + id % 3, state = IF(headers LIKE '%acme%', 2, 0),"
            + " due_at = IF(headers LIKE '%acme%', '2099-01-01', due_at) WHERE topic = 'other'");
    String waiting = "SELECT COUNT(*) FROM queue_message WHERE attempts >= 3 AND state ";
    String all = MESSAGES + "/all";
    Operator operator = scene.operator();
    String many = "%,d".formatted(database.count(waiting + "<> 1"));
    String scheduled = "%,d".formatted(database.count(waiting + "= 2"));
    assertThat(operator.page(all + "?attempts=3"))
        .contains(
            "<b>%s</b> waiting messages match <b>all topics, failed attempts at least 3</b>"
                .formatted(many),
            "of which <b>%s</b> are scheduled. Messages in flight".formatted(scheduled));
    String acme = "tenant=acme";
    assertThat(operator.page(all + "?topic=other&q=tenant%3Dacme&state=scheduled"))
        .contains(
            "<b>150</b> waiting messages match <b>topic other, scheduled, header tenant&#x3D;acme");
    operator.done(MESSAGES, all, "do", "run", "attempts", "3", "q", acme, "rate", "0");
    Await.that("they are due", SOON, () -> database.count(waiting + "= 2") == 0);
    assertThat(operator.submit(MESSAGES, all, "do", "cancel", "attempts", "3").statusCode())
        .as("unconfirmed")
        .isEqualTo(400);
    operator.done(MESSAGES, all, "do", "cancel", "sure", "yes", "attempts", "3");
    Await.that("they are gone", SOON, () -> database.count(waiting + "<> 1") == 0);
    assertThat(database.count(running)).isEqualTo(2);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE attempts = 2"))
        .isEqualTo(100);
    Await.that("it is audited", SOON, () -> !audited("message.cancel-all").isEmpty());
    String target = "all topics, failed attempts at least 3";
    assertThat(audited("message.run-all"))
        .containsExactly(
            "%s, header tenant=acme|completed: %s due now".formatted(target, scheduled));
    assertThat(audited("message.cancel-all"))
        .containsExactly("%s|completed: %s cancelled".formatted(target, many));
    assertThat(operator.page("/dashboard/activity")).contains("cancel all messages");
    assertThat(operator.page(all + "?attempts=3")).contains("No waiting messages match");
    assertThat(operator.get(all + "?q=customer-7").statusCode()).isEqualTo(400);
  }

  /** Otherwise a handler that fails would keep the change running for ever. */
  @Test
  void allThatMatch_areThoseOfThatTime() {
    database.execute(
        "INSERT INTO queue_message (id, topic, state, due_at, created_at, updated_at, payload)"
            + " VALUES (1, 'other', 2, '2099-01-01', '2026-01-01', '2026-01-01', '{}'),"
            + " (2, 'other', 2, '2099-01-01', '2026-01-01', '2099-01-01', '{}'),"
            + " (3, 'other', 0, '2026-01-01', '2099-01-01', '2099-01-01', '{}'),"
            + " (4, 'other', 0, '2026-07-01', '2026-07-01', '2026-07-01', '{}')");
    Operator operator = scene.operator();
    String all = MESSAGES + "/all";
    assertThat(operator.page(all)).containsPattern("name=\"counted\" value=\"2\\d{3}-");
    operator.done(MESSAGES, all, "do", "run", "rate", "1000");
    Await.that("it has ended", SOON, () -> !audited("message.run-all").isEmpty());
    assertThat(states()).containsExactly("1 0", "2 2", "3 0", "4 0");
    operator.done(MESSAGES, all, "do", "cancel", "sure", "yes", "counted", "2026-06-30T10:00:00.5");
    Await.that("it has ended", SOON, () -> !audited("message.cancel-all").isEmpty());
    assertThat(states()).containsExactly("3 0", "4 0");
    assertThat(audited("message.run-all")).containsExactly("all topics|completed: 1 due now");
    assertThat(audited("message.cancel-all")).containsExactly("all topics|completed: 2 cancelled");
  }

  private HttpResponse<String> payload(long id) {
    return scene.operator().get(MESSAGES + "/" + id + "/payload");
  }

  @Test
  void payload_downloaded_isAFileThatNoBrowserRenders() {
    database.execute(
        "INSERT INTO queue_message (id, topic, payload) VALUES (1, 'other', '{\"a\":1}'),"
            + " (2, 'other', '<script>'), (3, 'other', UNHEX('00')),"
            + " (4, 'other', REPEAT('[', 100000)), (5, 'other', REPEAT('x', 5000000)), (6,"
            + " 'other', 'x'), (8, 'other', 'no deflate')",
        "UPDATE queue_message SET headers = '{\"rowqueue-wrapped\":\"deflate\"}' WHERE id = 8",
        "UPDATE queue_message SET headers = '{\"rowqueue-wrapped\":\"sealed\"}' WHERE id = 6");
    long stored = Long.parseLong(enqueue(NewMessage.of("other", "y".repeat(100_000))));
    assertThat(database.count("SELECT COUNT(*) FROM queue_payload_chunk")).isPositive();
    long compressed =
        producer
            .wrapping(Wrapping.none().forTopic("other", Deflate.above(9)))
            .enqueue(database.dataSource(), NewMessage.of("other", "z".repeat(100_000)))
            .value();
    Map<Long, String> whole = new LinkedHashMap<>();
    whole.put(1L, "json {\"a\":1}");
    whole.put(2L, "txt <script>");
    whole.put(3L, "bin \0");
    whole.put(8L, "txt no deflate");
    whole.put(4L, "json " + "[".repeat(100_000));
    whole.put(stored, "txt \"" + "y".repeat(100_000) + "\"");
    whole.put(compressed, "txt \"" + "z".repeat(100_000) + "\"");
    whole.forEach(
        (id, expected) -> {
          String[] parts = expected.split(" ", 2);
          HttpResponse<String> file = payload(id);
          assertThat(file.body()).as("%d", id).isEqualTo(parts[1]);
          assertThat(file.headers().map())
              .containsEntry(
                  "content-disposition",
                  List.of("attachment; filename=\"message-%d.%s\"".formatted(id, parts[0])))
              .containsEntry("content-type", List.of("application/octet-stream"))
              .containsEntry("x-content-type-options", List.of("nosniff"));
        });
    assertThat(payload(5).body()).contains("larger than the worker&#39;s limit", "4.0 MiB");
    assertThat(payload(6).body()).contains("The payload is encrypted");
    for (long id : List.of(5L, 6L)) {
      assertThat(payload(id).statusCode()).isEqualTo(409);
    }
    assertThat(payload(99).statusCode()).isEqualTo(404);
    assertThat(scene.operator().page(MESSAGES + "/6")).doesNotContain("/payload\"");
    assertThat(scene.operator().page(MESSAGES + "/1"))
        .contains(MESSAGES + "/1/payload\"", "{\n  &quot;a&quot;: 1\n}", "?raw=1#", ">Raw<");
    assertThat(scene.operator().page(MESSAGES + "/1?raw=1"))
        .contains("{&quot;a&quot;:1}", ">Formatted<");
    assertThat(scene.operator().page(MESSAGES + "/2")).doesNotContain(">Raw<");
  }

  private String change(String id, String... fields) {
    List<String> all = new ArrayList<>(List.of("id", id));
    all.addAll(List.of(fields));
    return scene.operator().done(MESSAGES + "/" + id, CHANGE, all.toArray(String[]::new));
  }

  @Test
  void scheduledMessage_isChangedAndWrittenDown() {
    String id = enqueue(NewMessage.of("other", 1).withDelay(Duration.ofHours(9)));
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      assertThat(scene.operator().page(MESSAGES + "/" + id))
          .contains("value=\"run\"")
          .containsSubsequence("Timeline", "Enqueued", "in 8 h 59 min</span> Due");
      assertThat(change(id, "do", "prioritize", "priority", "-5")).contains("given priority -5");
      assertThat(change(id, "do", "reschedule", "due", "2040-01-02T03:04:05"))
          .contains("due at 2040-01-02 03:04:05 UTC");
      assertThat(only("CONCAT(priority, ' ', due_at, ' ', state)"))
          .isEqualTo("-5 2040-01-02 03:04:05.000000 2");
      assertThat(change(id, "do", "run")).contains("is due now").doesNotContain("value=\"run\"");
      assertThat(only("state")).isEqualTo("0");
      assertThat(scene.operator().page(MESSAGES + "/" + id))
          .containsSubsequence(
              " Enqueued<",
              "prioritize message, by 127.0.0.1: given priority -5<",
              "reschedule message, by 127.0.0.1: due at 2040-01-02 03:04:05 UTC<",
              "run message, by 127.0.0.1: due now<");
      assertThat(audit.messages())
          .extracting(line -> line.replaceAll(".*did=", ""))
          .containsExactly(
              "\"message.prioritize\" on=\"%s\" result=\"given priority -5\"".formatted(id),
              "\"message.reschedule\" on=\"%s\" result=\"due at 2040-01-02 03:04:05 UTC\""
                  .formatted(id),
              "\"message.run\" on=\"%s\" result=\"due now\"".formatted(id));
    }
  }

  @Test
  void search_byTheLastError_showsThoseWithIt() {
    scene.enqueue("other", 3);
    List<String> two =
        database.strings("SELECT CAST(id AS CHAR) FROM queue_message ORDER BY id LIMIT 2");
    for (String id : two) {
      database.execute(
          "INSERT INTO queue_attempt (message_id, claim_number, attempt, worker, failed_at,"
              + " error_class, error_message, error_trace) VALUES (%1$s, 1, 1, 'h', NOW(), 'a.B',"
                  .formatted(id)
              + " 'answer %s of 504', '')".formatted(id));
      database.execute("UPDATE queue_message SET attempts = 1 WHERE id = " + id);
    }
    assertFound("topic=other&text=b:+ANSWER+" + two.get(1), "id = " + two.get(1));
    assertFound("text=504", "attempts = 1 ORDER BY id DESC");
  }

  @Test
  void timeline_hasAFailureBeforeTheChangeThatItCaused() {
    database.execute(
        "INSERT INTO queue_message (id, topic, state, attempts, due_at, created_at, updated_at,"
            + " payload) VALUES (901, 'other', 2, 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR,"
            + " UTC_TIMESTAMP(6) - INTERVAL 9 SECOND, UTC_TIMESTAMP(6) - INTERVAL 2 SECOND, '1')",
        "INSERT INTO queue_attempt (message_id, claim_number, attempt, worker, failed_at,"
            + " error_class, error_message, error_trace) VALUES (901, 1, 1, 'h',"
            + " UTC_TIMESTAMP(6) - INTERVAL 1 SECOND, 'a.B', 'refused', '')");
    assertThat(scene.operator().page(MESSAGES + "/901"))
        .containsSubsequence("Enqueued", "Failed (attempt 1", "Last change: scheduled", "Due");
  }

  @Test
  void changes_thatAreMalformed_areRefused() {
    String id = enqueue(NewMessage.of("other", 1));
    Operator operator = scene.operator();
    for (List<String> fields :
        List.of(
            List.of("id", id, "do", "prioritize", "priority", "high"),
            List.of("id", id, "do", "reschedule", "due", ""),
            List.of("id", id, "do", "reschedule", "due", "soon"),
            List.of("id", id, "do", "explode"))) {
      HttpResponse<String> answer =
          operator.submit(MESSAGES + "/" + id, CHANGE, fields.toArray(String[]::new));
      assertThat(answer.statusCode()).as("%s", fields).isEqualTo(400);
    }
    assertThat(only("CONCAT(priority, ' ', state)")).isEqualTo("0 0");
  }

  @Test
  void messageThatWasClaimedMeanwhile_isNotChanged() {
    String id = enqueue(NewMessage.of("held", 1));
    Await.that("it runs", SOON, () -> only("state").equals("1"));
    Operator operator = scene.operator();
    String own = MESSAGES + "/" + id;
    assertThat(operator.page(own))
        .doesNotContain("value=\"reschedule\"")
        .doesNotContain("value=\"prioritize\"")
        .containsPattern("</span> Claimed by [\\w-]+ \\(claim 1\\)<");
    HttpResponse<String> answer =
        operator.submit(own, CHANGE, "id", id, "do", "prioritize", "priority", "7");
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).contains("was not given another priority: it is in flight");
    operator.done(own, MESSAGES + "/cancel", "id", id);
    assertThat(operator.page(own)).contains("Cancellation requested by dashboard: 127.0.0.1");
  }
}
