package io.rowqueue.worker.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.OwnThreads;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What operators see of dead letters on the dashboard, and do to them, without JavaScript. */
@ExtendWith(OwnThreads.class)
@QueueTest
class DashboardDeadLettersIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String DEAD = "/dashboard/dead-letters";

  private final QueueDatabase database;

  DashboardDeadLettersIT(QueueDatabase database) {
    this.database = database;
  }

  private long messages(String where) {
    return database.count("SELECT COUNT(*) FROM queue_message WHERE " + where);
  }

  private List<String> deadIds() {
    return database.strings("SELECT CAST(id AS CHAR) FROM queue_dead_letter ORDER BY id");
  }

  @Test
  void deadLetter_lookedAt_showsEveryAttemptAndItsPayload() {
    try (Scene scene = Scene.open(database)) {
      scene.fail(1);
      String page = scene.operator().page(DEAD + "/" + deadIds().get(0));
      assertThat(page)
          .contains("permanent-failure")
          .contains("Attempt 1: io.rowqueue.handle.PermanentFailure")
          .contains("the address bounces &lt;/code&gt;")
          .contains("&quot;number&quot;: 0");
    }
  }

  @Test
  void deadLetter_afterSeveralAttempts_showsEachWithItsOwnErrorInOrder() {
    try (Scene scene = Scene.open(database)) {
      scene.enqueue(Scene.PARTNER, 1);
      Await.that("it is set aside", SOON, () -> deadIds().size() == 1);
      String page = scene.operator().page(DEAD + "/" + deadIds().get(0));
      String[] attempts = page.split("<details class=\"failure\"", -1);
      assertThat(attempts).hasSize(4);
      assertThat(attempts[0]).contains("<b>attempts-exhausted</b>").doesNotContain("Attempt ");
      assertAttempt(attempts[1], 1, IllegalStateException.class, "the partner answered 503");
      assertAttempt(attempts[2], 2, UncheckedIOException.class, "the connection was reset");
      assertAttempt(attempts[3], 3, IllegalArgumentException.class, "the partner knows no such");
      assertThat(attempts[3]).as("the last is open").startsWith(" open>");
    }
  }

  private static void assertAttempt(String shown, int number, Class<?> error, String message) {
    assertThat(shown)
        .containsSubsequence(
            "<summary>Attempt %d: %s ".formatted(number, error.getName()),
            "class=\"said\"><code>" + message,
            "<code>" + error.getName() + ": " + message,
            "at io.rowqueue.worker.dashboard.Scene");
  }

  @Test
  void redrive_ofTheSelected_leavesTheOthers() {
    try (Scene scene = Scene.open(database);
        CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
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
      assertThat(audit.messages())
          .containsExactly(
              "who=\"-\" from=127.0.0.1 did=\"dead-letter.redrive\" on=\"%s,%s\" result=\"2 of 2 redriven\""
                  .formatted(ids.get(0), ids.get(2)));
    }
  }

  @Test
  void delete_ofTheSelected_asksFirst() {
    try (Scene scene = Scene.open(database)) {
      scene.fail(2);
      String id = deadIds().get(0);
      Operator operator = scene.operator();
      HttpResponse<String> asked =
          operator.submit(DEAD, DEAD + "/change", "do", "delete", "id", id);
      assertThat(asked.statusCode()).isEqualTo(200);
      assertThat(asked.body()).contains("Delete them").contains("value=\"" + id + "\"");
      assertThat(deadIds()).hasSize(2);
      assertThat(operator.done(DEAD, DEAD + "/delete", "id", id)).contains("1 of 1 deleted");
      assertThat(deadIds()).hasSize(1).doesNotContain(id);
    }
  }

  @Test
  void redriveAll_withALimitASecond_goesOnInTheBackground() {
    try (Scene scene = Scene.open(database);
        CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      scene.fail(6);
      database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere' ORDER BY id LIMIT 4");
      Operator operator = scene.operator();
      assertThat(operator.page(DEAD + "/all?topic=elsewhere")).contains("<b>4</b> dead letters");
      String page =
          operator.done(DEAD, DEAD + "/all", "do", "redrive", "topic", "elsewhere", "rate", "1000");
      assertThat(page).contains("It has begun");
      Await.that("it ends", SOON, () -> messages("topic = 'elsewhere'") == 4);
      Await.that(
          "it says so", SOON, () -> operator.page("/dashboard/activity").contains(">ended<"));
      assertThat(deadIds()).hasSize(2);
      assertThat(audit.messages())
          .anyMatch(line -> line.contains("dead-letter.redrive-all") && line.contains("begun"))
          .anyMatch(line -> line.contains("result=\"ended after 4\""));
    }
  }

  /** More than one look of the walk passes over. */
  @Test
  void redriveAll_ofTheOneReasonAmongThousandsOfAnother_findsIt() {
    try (Scene scene = Scene.open(database)) {
      database.execute(
          """
          INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason, detail,
            worker, due_at, created_at, dead_at, payload)
          WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
          SELECT 1000 + 120 * a.i + b.i, 'elsewhere', 0, 1, 1, 0,
            IF(a.i = 119 AND b.i = 60, 'claims-lost', 'attempts-exhausted'), '', 'h-1-x',
            UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) - INTERVAL 1 SECOND, '{}'
            FROM n a JOIN n b
          """);
      String rare = Integer.toString(1_000 + 120 * 119 + 60);
      Operator operator = scene.operator();
      assertThat(operator.page(DEAD + "?reason=claims-lost"))
          .contains(">" + rare + "</a>")
          .doesNotContain("Next page");
      assertThat(operator.page(DEAD + "/all?reason=claims-lost")).contains("<b>1</b> dead letters");
      operator.done(
          DEAD, DEAD + "/all", "do", "redrive", "topic", "", "reason", "claims-lost", "rate", "0");
      Await.that("it is back", SOON, () -> messages("id = " + rare) == 1);
      assertThat(deadIds()).hasSize(120 * 120 - 1).doesNotContain(rare);
    }
  }

  @Test
  void sweep_thatIsStopped_leavesTheRest() {
    try (Scene scene = Scene.open(database)) {
      scene.fail(5);
      database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere'");
      Operator operator = scene.operator();
      operator.done(DEAD, DEAD + "/all", "do", "redrive", "topic", "elsewhere", "rate", "1");
      operator.done("/dashboard/activity", "/dashboard/activity/stop", "number", "1");
      Await.that(
          "it says so", SOON, () -> operator.page("/dashboard/activity").contains(">stopped<"));
      assertThat(deadIds()).isNotEmpty();
    }
  }

  @Test
  void deleteAll_withoutBeingSure_deletesNothing() {
    try (Scene scene = Scene.open(database)) {
      scene.fail(1);
      Operator operator = scene.operator();
      assertThat(operator.submit(DEAD, DEAD + "/all", "do", "delete").statusCode()).isEqualTo(400);
      assertThat(deadIds()).hasSize(1);
      operator.done(DEAD, DEAD + "/all", "do", "delete", "sure", "yes", "rate", "0");
      Await.that("they are gone", SOON, () -> deadIds().isEmpty());
    }
  }

  @Test
  void redrive_byTwoOperatorsAtOnce_happensOnce() {
    try (Scene scene = Scene.open(database);
        CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
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
