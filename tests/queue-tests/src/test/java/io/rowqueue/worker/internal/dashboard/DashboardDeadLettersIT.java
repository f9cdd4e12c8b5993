package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.worker.DashboardConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Finding dead letters on the dashboard, and changing those that were found. */
@ExtendWith(OwnThreads.class)
@QueueTest
class DashboardDeadLettersIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String DEAD = "/dashboard/dead-letters";
  private static final Pattern LISTED =
      Pattern.compile("<th scope=\"row\"><a href=\"/dashboard/dead-letters/(\\d+)\">");

  /** The number of the row, its topic, ordering key, headers and error. */
  private static final String ROW =
      "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
          + " reason, detail, worker, due_at, created_at, dead_at, headers, payload, ordering_key)"
          + " VALUES (%1$d, '%2$s', 0, 1, 1, 0, 'permanent-failure', '%5$s', 'w',"
          + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '2026-11-28 02:00:00' + INTERVAL %1$d MINUTE,"
          + " '%4$s', '{\"n\":%1$d}', '%3$s')";

  private final QueueDatabase database;
  private Scene scene;

  DashboardDeadLettersIT(QueueDatabase database) {
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

  private void insert(int id, String topic, String key, String headers, String error) {
    database.execute(ROW.formatted(id, topic, key, headers, error));
  }

  private void insertFour() {
    insert(1, "orders", "o-1", "{\"tenant\":\"acme\"}", "a.B: HTTP 504 for 1");
    insert(2, "orders", "o-2", "{\"tenant\": \"acme\"}", "a.B: HTTP 503 for 2");
    insert(3, "mail", "o-1", "{\"tenant\":\"other\"}", "a.C: bounced");
    insert(4, "orders", "o-4", "no JSON", "a.C: bounced");
  }

  private static List<String> listed(String page) {
    return LISTED.matcher(page).results().map(found -> found.group(1)).toList();
  }

  private void assertListed(String query, String... ids) {
    assertThat(listed(scene.operator().page(DEAD + "?" + query))).as(query).containsExactly(ids);
  }

  @Test
  void filters_findThose_theNewestFirst() {
    insertFour();
    assertListed("", "4", "3", "2", "1");
    assertListed("order=oldest", "1", "2", "3", "4");
    assertListed("topic=orders", "4", "2", "1");
    assertListed("from=2026-11-28T02:02&to=2026-11-28T02:04:00", "3", "2");
    assertListed("topic=orders&from=2026-11-28T02:02", "4", "2");
    assertListed("text=http+504", "1");
    assertListed("key=o-1", "3", "1");
    assertListed("header=tenant%3Dacme", "2", "1");
    assertListed("header=tenant%3Dacm");
    assertListed("payload=%22n%22%3A3", "3");
    assertListed("reason=claims-lost");
  }

  @Test
  void orderingKeys_haveAColumnWhereOneIsShown() {
    insertFour();
    database.execute("UPDATE queue_dead_letter SET ordering_key = NULL WHERE topic = 'orders'");
    assertThat(scene.operator().page(DEAD))
        .contains("<th scope=\"col\">Ordering key</th>", ">o-1</td>");
    assertThat(scene.operator().page(DEAD + "?topic=orders"))
        .doesNotContain("<th scope=\"col\">Ordering key</th>");
  }

  @Test
  void filters_thatAreMalformed_areRefused() {
    for (String query :
        List.of(
            "from=yesterday",
            "header=tenant",
            "group=1",
            "topic=a&group=9223372036854775808",
            "after=7&at=x")) {
      assertThat(scene.operator().get(DEAD + "?" + query).statusCode()).as(query).isEqualTo(400);
    }
  }

  @Test
  void pages_ofEitherOrder_showEachOnce() {
    database.execute(
        """
        INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims, reason, detail,
          worker, due_at, created_at, dead_at, payload)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
        SELECT i, 'orders', 0, 1, 1, 0, 'claims-lost', '', 'w', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6),
          '2026-11-28 02:00:00' + INTERVAL i DIV 60 MINUTE, '{}' FROM n
        """);
    for (String query : List.of("", "topic=orders", "order=oldest", "reason=claims-lost")) {
      List<String> ids = new java.util.ArrayList<>();
      String path = DEAD + "?" + query;
      while (!path.isEmpty()) {
        String page = scene.operator().page(path);
        ids.addAll(listed(page));
        path = next(page);
      }
      assertThat(ids).as(query).hasSize(120).doesNotHaveDuplicates();
    }
  }

  private static String next(String page) {
    var link = Pattern.compile("rel=\"next\" href=\"([^\"]+)\"").matcher(page);
    return link.find() ? link.group(1).replace("&amp;", "&").replace("&#x3D;", "=") : "";
  }

  @Test
  void groups_ofWhatHandlersThrew_areOnePerError() {
    scene.fail(3);
    scene.enqueue(Scene.PARTNER, 1);
    Await.that(
        "all are dead letters",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_dead_letter") == 4);
    String page = scene.operator().page(DEAD + "/groups");
    assertThat(page)
        .containsSubsequence(
            "PermanentFailure: the address bounces &lt;/code&gt;",
            ">mail.send<",
            "data-name=\"Dead letters\">3<",
            "IllegalArgumentException: the partner knows no such order",
            ">" + Scene.PARTNER + "<",
            "data-name=\"Dead letters\">1<");
    assertThat(scene.operator().page(DEAD + "/groups?topic=mail.send"))
        .doesNotContain("the partner knows");
  }

  private List<String> newestOfGroups(String query) {
    String page = scene.operator().page(DEAD + "/groups?" + query);
    return Pattern.compile("data-name=\"Newest\"><a href=\"/dashboard/dead-letters/(\\d+)\">")
        .matcher(page)
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  @Test
  void groups_haveTheFiltersOfTheList_andAnOrder() {
    insertFour();
    insert(5, "orders", "o-1", "{}", "a.B: HTTP 504 for 5");
    database.execute(
        "UPDATE queue_dead_letter SET fingerprint = CRC32(LEFT(detail, 13)), topic = 'all'");
    assertThat(newestOfGroups("sort=largest")).startsWith("5", "4").hasSize(3);
    assertThat(newestOfGroups("sort=first-seen")).containsExactly("4", "2", "5");
    assertThat(newestOfGroups("sort=last-seen")).containsExactly("5", "4", "2");
    assertThat(newestOfGroups("text=http&sort=first-seen")).containsExactly("2", "5");
    assertThat(newestOfGroups("header=tenant%3Dacme&sort=last-seen")).containsExactly("2", "1");
    assertThat(newestOfGroups("key=o-1&from=2026-11-28T02:02")).containsExactly("5", "3");
    assertThat(newestOfGroups("reason=claims-lost")).isEmpty();
    assertThat(scene.operator().page(DEAD + "/groups?key=o-1").replace("&#x3D;", "="))
        .containsPattern(
            "dead-letters\\?topic=all&amp;group=\\d+&amp;key=o-1\">B: HTTP 504 for \\?<")
        .contains("data-name=\"Dead letters\">2<");
  }

  @Test
  void group_redriven_leavesTheOthers() {
    String group = String.valueOf(Long.MIN_VALUE);
    insertFour();
    database.execute(
        "UPDATE queue_dead_letter SET fingerprint = " + group + " WHERE detail LIKE 'a.B%'");
    String all = DEAD + "/all";
    Operator operator = scene.operator();
    assertThat(operator.page(all + "?topic=orders&group=" + group))
        .contains("<b>2</b> dead letters match")
        .contains("B: HTTP 503 for ?")
        .contains("name=\"group\" value=\"" + group + "\"");
    operator.done(DEAD, all, "do", "redrive", "topic", "orders", "group", group, "rate", "0");
    Await.that(
        "both are back",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'orders'") == 2);
    assertListed("", "4", "3");
  }

  @Test
  void allThatMatch_ofASearch_areDeletedAndNoOthers() {
    insertFour();
    String all = DEAD + "/all";
    Operator operator = scene.operator();
    assertThat(operator.page(all + "?text=bounced&key=o-4"))
        .contains("<b>1</b> dead letters match")
        .contains("error contains “bounced”, ordering key o-4");
    operator.done(
        DEAD, all, "do", "delete", "sure", "yes", "text", "bounced", "key", "o-4", "rate", "0");
    Await.that(
        "it is gone",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_dead_letter WHERE id = 4") == 0);
    assertListed("", "3", "2", "1");
  }

  @Test
  void changes_ofWhichTheServerRefusesOne_changeTheOthersAndNameIt() {
    insertFour();
    Operator operator = scene.operator();
    String refused = "refused and unchanged: 2: not today";
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "INSERT ON queue_message", "NEW.id = 2")) {
      assertThat(operator.done(DEAD, DEAD + "/change", "do", "redrive", "id", "1", "id", "2"))
          .contains("1 of 2 redriven; " + refused);
      assertListed("", "4", "3", "2");
      operator.done(DEAD, DEAD + "/all", "do", "redrive", "rate", "0");
      String activity = "/dashboard/activity";
      Await.until(
          "it ends", SOON, () -> operator.page(activity), page -> page.contains(">completed<"));
      assertThat(operator.page(activity))
          .contains("</progress> 2 of 3<", refused, ">completed: 2 redriven; " + refused);
    }
    assertListed("", "2");
  }

  @Test
  void change_thatFailsAfterAPart_saysAndRecordsWhatIsDone() {
    insertFour();
    database.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON queue_message FOR EACH ROW BEGIN IF NEW.id = 2 THEN"
            + " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'; ELSEIF NEW.id = 3 THEN"
            + " SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 1114, MESSAGE_TEXT = 'full'; END IF;"
            + " END");
    try {
      Operator operator = scene.operator();
      assertThat(
              operator.done(
                  DEAD, DEAD + "/change", "do", "redrive", "id", "1", "id", "2", "id", "3"))
          .contains("1 of 3 redriven; refused and unchanged: 2: not today; then it failed: ");
      assertThat(database.strings("SELECT result FROM queue_audit"))
          .singleElement()
          .asString()
          .startsWith("1 of 3 redriven; ")
          .contains("then it failed: ");
    } finally {
      database.execute("DROP TRIGGER refuse");
    }
    assertListed("", "4", "3", "2");
  }

  /** Dead-lettered before the change was requested, and committed after they were counted. */
  @Test
  void allThatMatch_moreThanWereCounted_countInTheTotal() throws SQLException {
    insertFour();
    Operator operator = scene.operator();
    try (Connection busy = database.connect();
        Statement statement = busy.createStatement()) {
      busy.setAutoCommit(false);
      statement.executeQuery("SELECT 1 FROM queue_dead_letter WHERE id = 1 FOR UPDATE").close();
      operator.done(DEAD, DEAD + "/all", "do", "redrive", "rate", "0");
      insert(5, "orders", "o-5", "{}", "a.C: bounced");
      busy.rollback();
    }
    String activity = "/dashboard/activity";
    Await.that("it has ended", SOON, () -> operator.page(activity).contains(">completed<"));
    assertThat(operator.page(activity))
        .contains("<progress max=\"5\" value=\"5\"", "</progress> 5 of 5<");
  }

  private String changed(String payload, String... more) {
    List<String> fields = new java.util.ArrayList<>(List.of("id", "1", "payload", payload));
    fields.addAll(List.of(more));
    return scene
        .operator()
        .submit(DEAD + "/1", DEAD + "/edit", fields.toArray(String[]::new))
        .body();
  }

  private String stored() {
    return database
        .strings("SELECT CONVERT(payload USING utf8mb4) FROM queue_message WHERE id = 1")
        .get(0);
  }

  @Test
  void payload_edited_isRedrivenOnceAndWrittenDown() {
    insertFour();
    try (CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      String page = scene.operator().page(DEAD + "/1");
      assertThat(page)
          .containsSubsequence(
              "Edit payload",
              "name=\"claims\" value=\"1\"",
              "\n{\n  &quot;n&quot;: 1\n}</textarea>");
      assertThat(page.indexOf("payload-head")).isLessThan(page.indexOf("failures-head"));
      scene
          .operator()
          .done(DEAD + "/1", DEAD + "/edit", "id", "1", "claims", "1", "payload", "{\r\n\"n\":2}");
      assertThat(stored()).isEqualTo("{\n\"n\":2}");
      assertListed("", "4", "3", "2");
      assertThat(audit.messages())
          .containsExactly(
              "who=\"-\" from=127.0.0.1 did=\"dead-letter.edit-and-redrive\" on=\"1\""
                  + " result=\"redriven with 8 bytes instead of 7\"");
    }
  }

  @Test
  void payload_editedToSomethingElse_staysADeadLetter() {
    insertFour();
    assertThat(changed("{n:2}", "claims", "1")).contains("was JSON, and the edited one is not");
    assertThat(changed("\"" + "x".repeat(16_384) + "\"", "claims", "1"))
        .contains("over the limit of 16.0 KiB");
    assertThat(changed("{}", "claims", "7")).contains("has changed since the page was shown");
    assertListed("", "4", "3", "2", "1");
  }

  @Test
  void payload_thatIsNoText_cannotBeEdited() {
    insertFour();
    for (String change :
        List.of(
            "payload = UNHEX('00ff') -- it is binary",
            "payload = 'a\tb\r' -- it is binary",
            "payload = REPEAT('x', 16385) -- it is longer than 16.0 KiB",
            "payload = '1', headers = '{\"rowqueue-wrapped\":\"aes\"}' -- it is encrypted",
            "headers = '{\"rowqueue-body\":\"rows\"}' -- it is stored separately")) {
      String[] parts = change.split(" -- ", -1);
      database.execute("UPDATE queue_dead_letter SET " + parts[0] + " WHERE id = 1");
      assertThat(scene.operator().page(DEAD + "/1"))
          .contains("cannot be edited here: " + parts[1])
          .doesNotContain("<textarea");
      assertThat(changed("2", "claims", "1")).contains("Nothing was redriven").contains(parts[1]);
    }
    assertListed("", "4", "3", "2", "1");
  }

  @Test
  void trace_ofAMessageThatHasOne_isLinked() {
    String traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    insert(1, "orders", "k", "{\"traceparent\":\"" + traceparent + "\"}", "a.B: no");
    insert(2, "orders", "k", "{\"traceparent\":\"javascript:alert(1)\"}", "a.B: no");
    DashboardConfig config =
        DashboardConfig.open().withTraceUrl("https://traces.example/t/{trace_id}");
    try (Scene other = Scene.open(database, config)) {
      assertThat(other.operator().page(DEAD + "/1").replace("&#x2F;", "/"))
          .contains("https://traces.example/t/4bf92f3577b34da6a3ce929d0e0e4736\"");
      assertThat(other.operator().page(DEAD + "/2")).doesNotContain("Open trace");
    }
    assertThat(scene.operator().page(DEAD + "/1")).doesNotContain("Open trace");
    assertThatThrownBy(() -> DashboardConfig.open().withTraceUrl("javascript:{trace_id}"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
