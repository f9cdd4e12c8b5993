package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.OwnThreads;
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
          + " '%4$s', '{\"n\":1}', '%3$s')";

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
    assertListed("reason=claims-lost");
  }

  @Test
  void filters_thatAreMalformed_areRefused() {
    for (String query : List.of("from=yesterday", "header=tenant", "group=1", "after=7&at=x")) {
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

  @Test
  void group_redriven_leavesTheOthers() {
    insertFour();
    database.execute("UPDATE queue_dead_letter SET fingerprint = -5 WHERE detail LIKE 'a.B%'");
    String all = DEAD + "/all";
    Operator operator = scene.operator();
    assertThat(operator.page(all + "?topic=orders&group=-5"))
        .contains("<b>2</b> dead letters match")
        .contains("B: HTTP ? for ?")
        .contains("name=\"group\" value=\"-5\"");
    operator.done(DEAD, all, "do", "redrive", "topic", "orders", "group", "-5", "rate", "0");
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
}
