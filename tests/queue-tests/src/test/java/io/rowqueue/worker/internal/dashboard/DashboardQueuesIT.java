package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.worker.Credentials;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DatabaseConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One dashboard with the worker's own queue and another, in a schema of its own. */
@ExtendWith(OwnThreads.class)
@QueueTest
class DashboardQueuesIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String OWN = "/dashboard";
  private static final String BILLING = "/dashboard/q/billing";
  private static final String PAUSED = "SELECT COUNT(*) FROM queue_topic WHERE paused = 1";
  private static final String AUDITED =
      "SELECT CONCAT_WS('|', actor, action, target, result) FROM queue_audit";
  private static final String SECRET = "a-password-of-some-length";

  private final QueueDatabase database;
  private QueueDatabase billing;

  DashboardQueuesIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void create() {
    billing = QueueDatabase.create();
    enqueue(billing, "invoice.send");
    enqueue(database, "order.place");
  }

  @AfterEach
  void drop() {
    billing.close();
  }

  private static void enqueue(QueueDatabase queue, String topic) {
    queue.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('%s', '{}')".formatted(topic));
  }

  private DashboardConfig two() {
    return DashboardConfig.open().withQueue("billing", billing.config());
  }

  private static String link(String path, String name) {
    return "<li><a href=\"%s\">%s</a></li>".formatted(path, name);
  }

  @Test
  void pages_ofTwoQueues_showEachItsOwn() {
    try (Scene scene = Scene.open(database, two())) {
      Operator operator = scene.operator();
      assertThat(operator.page(OWN + "/topics"))
          .contains("order.place", "<title>Topics · " + database.name() + " · RowQueue</title>")
          .contains(link(BILLING + "/topics", "billing"))
          .doesNotContain("invoice.send");
      assertThat(operator.page(BILLING + "/topics"))
          .contains("invoice.send", "<title>Topics · billing · RowQueue</title>")
          .contains(link(OWN + "/topics", database.name()))
          .contains(BILLING + "/static/dashboard.css", BILLING + "/dead-letters\"")
          .doesNotContain("order.place");
      assertThat(operator.page(BILLING + "/doctor"))
          .contains("the queue billing, ", "/" + billing.name() + ".", "default settings");
      assertThat(operator.page(OWN + "/doctor"))
          .contains("/" + database.name() + ".", "the settings of this worker");
      for (String path : SecurityOfDashboardIT.PATHS) {
        String further = path.replace(OWN, BILLING).replace("=held", "=invoice.send");
        assertThat(operator.page(further)).as(further).contains("<details class=\"queues\">");
      }
    }
  }

  @Test
  void page_ofTheOnlyQueue_namesNone() {
    try (Scene scene = Scene.open(database)) {
      assertThat(scene.operator().page(OWN))
          .contains("<title>Overview · RowQueue</title>", "<h1>Overview</h1>")
          .doesNotContain("class=\"queues\"", database.name());
    }
  }

  /** The session is that of the first queue's page. */
  @Test
  void change_ofTheSecondQueue_isAuditedThere() {
    try (Scene scene = Scene.open(database, two());
        CapturedLog log = CapturedLog.of("io.rowqueue.audit")) {
      Operator operator = scene.operator();
      String token = operator.token(OWN + "/topics");
      HttpResponse<String> paused =
          operator.post(BILLING + "/topics/pause", token, "topic", "invoice.send");
      assertThat(paused.headers().firstValue("Location")).contains(BILLING + "/topics");
      assertThat(operator.get(BILLING + "/topics").headers().firstValue("Set-Cookie").orElseThrow())
          .contains("Path=/dashboard;");
      assertThat(billing.count(PAUSED)).isEqualTo(1);
      assertThat(billing.strings(AUDITED)).containsExactly("-|topic.pause|invoice.send|done");
      assertThat(database.count(PAUSED)).isZero();
      assertThat(database.strings(AUDITED)).isEmpty();
      assertThat(operator.page(BILLING + "/activity")).contains("topic.pause");
      assertThat(operator.page(OWN + "/activity")).doesNotContain("topic.pause");
      assertThat(log.messages())
          .containsExactly(
              "who=\"-\" from=127.0.0.1 did=\"topic.pause\" on=\"invoice.send\" result=\"done\""
                  + " queue=\"billing\"");
    }
  }

  /** A purge runs in the background, on the second queue's connections. */
  @Test
  void purge_ofTheSecondQueue_leavesTheFirst() {
    enqueue(database, "invoice.send");
    try (Scene scene = Scene.open(database, two())) {
      String purge = BILLING + "/topics/purge";
      scene
          .operator()
          .done(
              purge + "?topic=invoice.send",
              purge,
              "topic",
              "invoice.send",
              "sure",
              "invoice.send");
      String waiting = "SELECT COUNT(*) FROM queue_message WHERE topic = 'invoice.send'";
      Await.that("it is purged", SOON, () -> billing.count(waiting) == 0);
      assertThat(database.count(waiting)).isEqualTo(1);
    }
  }

  @Test
  void userWhoMayOnlyRead_changesNoQueue() {
    Credentials users =
        Credentials.users("ada:" + SECRET + "\nbob:" + SECRET + ":read\neve:" + SECRET + ":drain");
    try (Scene scene = Scene.open(database, two().withCredentials(() -> users))) {
      for (String user : List.of("bob", "eve")) {
        Operator reader = known(scene, user);
        assertThat(reader.page(BILLING + "/topics")).contains("no-pause");
        for (String queue : List.of(OWN, BILLING)) {
          HttpResponse<String> refused =
              reader.submit(queue + "/topics", queue + "/topics/pause", "topic", "invoice.send");
          assertThat(refused.statusCode()).as(user + " " + queue).isEqualTo(403);
          assertThat(refused.body()).contains("Your login may only");
        }
      }
      assertThat(billing.count(PAUSED) + database.count(PAUSED)).isZero();
      known(scene, "ada")
          .done(BILLING + "/topics", BILLING + "/topics/pause", "topic", "invoice.send");
      assertThat(billing.count(PAUSED)).isEqualTo(1);
      assertThat(billing.strings(AUDITED)).hasSize(3).contains("ada|topic.pause|invoice.send|done");
      assertThat(database.strings(AUDITED)).hasSize(2).noneMatch(row -> row.startsWith("ada"));
    }
  }

  private static Operator known(Scene scene, String user) {
    byte[] both = (user + ":" + SECRET).getBytes(StandardCharsets.UTF_8);
    return scene
        .operator()
        .with("Authorization", "Basic " + Base64.getEncoder().encodeToString(both));
  }

  @Test
  void queue_thatIsUnknown_isNotFound() {
    Credentials users = Credentials.users("ada:" + SECRET);
    try (Scene scene = Scene.open(database, two().withCredentials(() -> users))) {
      Operator ada = known(scene, "ada");
      for (String path :
          List.of("/q", "/q/", "/q/none", "/q/none/topics", "/q/billing2", "/q/billing2/topics")) {
        assertThat(ada.get(OWN + path).statusCode()).as(path).isEqualTo(404);
      }
      for (String path : List.of("", "/q/billing", "/q/none")) {
        HttpResponse<String> stranger = scene.operator().get(OWN + path);
        assertThat(stranger.statusCode()).as(path).isEqualTo(401);
        assertThat(stranger.body()).doesNotContain("class=\"queues\"", database.name());
      }
    }
  }

  /**
   * One refuses connections, and one takes them and says nothing, for which the worker's end does
   * not wait either.
   */
  @Test
  void queues_whoseServersAreDown_leaveTheOthersUsable() throws IOException {
    ExecutorService clients = Executors.newFixedThreadPool(8);
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      DashboardConfig config =
          two().withQueue("away", at(1)).withQueue("silent", at(silent.getLocalPort()));
      try (Scene scene = Scene.open(database, config)) {
        List<CompletableFuture<HttpResponse<String>>> waiting =
            IntStream.range(0, 8)
                .mapToObj(
                    any ->
                        CompletableFuture.supplyAsync(
                            () -> scene.operator().get("/dashboard/q/silent"), clients))
                .toList();
        Operator operator = scene.operator();
        HttpResponse<String> away = operator.get("/dashboard/q/away");
        assertThat(away.statusCode()).isEqualTo(503);
        assertThat(away.body())
            .contains("the dashboard cannot reach the database", link(OWN, database.name()))
            .contains("Request failed <span class=\"of\">· away</span>", link(BILLING, "billing"))
            .contains("href=\"/dashboard/q/away\">To the overview");
        assertThat(operator.page("/dashboard/q/away/doctor")).contains("the queue away, ");
        for (String queue : List.of(OWN, BILLING)) {
          assertThat(operator.page(queue)).contains("Overview");
          operator.done(queue + "/topics", queue + "/topics/pause", "topic", "order.place");
        }
        assertThat(operator.get("/health/ready").statusCode()).isEqualTo(200);
        Await.that("one connects", SOON, DashboardQueuesIT::isConnecting);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
      }
      assertThat(isConnecting()).isTrue();
    } finally {
      clients.shutdownNow();
    }
  }

  private static boolean isConnecting() {
    return OwnThreads.living().stream()
        .filter(thread -> thread.getName().startsWith("queue-dashboard-"))
        .flatMap(thread -> Stream.of(thread.getStackTrace()))
        .anyMatch(frame -> frame.getMethodName().equals("askDialect"));
  }

  private static DatabaseConfig at(int port) {
    return new DatabaseConfig("jdbc:mysql://127.0.0.1:%d/app".formatted(port), "any", "");
  }

  /** Connections are opened by the first page, and not before. */
  @Test
  void queue_whosePagesAreNotOpened_hasNoConnection() {
    try (Scene scene = Scene.open(database, two())) {
      String connections =
          "SELECT COUNT(*) FROM information_schema.processlist WHERE db = '%s'"
              .formatted(billing.name());
      Operator operator = scene.operator();
      operator.page(OWN);
      Await.that("this test's have ended", SOON, () -> database.count(connections) == 0);
      operator.page(BILLING);
      assertThat(database.count(connections)).isBetween(1L, 8L);
    }
  }

  @Tag("full")
  @Test
  void selector_inABrowserWithoutScripts_leadsToTheOtherQueue() {
    Assumptions.assumeTrue(Browser.isThere(), "no Chromium, or no driver for it");
    DashboardConfig config =
        two().withQueue("notifications-of-the-eastern-warehouse", database.config());
    try (Scene scene = Scene.open(database, config);
        Browser browser = Browser.open(1280, 900)) {
      String base = "http://127.0.0.1:" + scene.port();
      browser.scripts(false).go(base + OWN + "/topics");
      for (int width : List.of(1280, 360)) {
        browser.size(width, 740).go(base + OWN + "/topics");
        browser.one(".queues summary").click();
        assertThat(browser.one(".queues").getText()).contains(database.name(), "billing");
        browser.picture(width == 360 ? "phone-queues" : "queues");
        browser.named("billing").click();
        browser.see("invoice.send");
        assertThat(browser.driver().getCurrentUrl()).isEqualTo(base + BILLING + "/topics");
        assertThat(browser.overflow()).as("at a width of %d", width).isZero();
        browser.one(".queues summary").click();
        assertThat(browser.overflow()).as("open, at a width of %d", width).isZero();
        browser.picture("queues-billing-" + width);
        browser.go(base + "/dashboard/q/notifications-of-the-eastern-warehouse");
        assertThat(browser.overflow()).as("at a width of %d", width).isZero();
        browser.picture("queues-long-" + width);
        browser.one(".queues summary").click();
        assertThat(browser.overflow()).as("open, at a width of %d", width).isZero();
        browser.picture("queues-long-open-" + width);
      }
      browser.scheme("dark").size(1280, 740).go(base + BILLING + "/doctor");
      browser.one(".queues summary").click();
      browser.picture("queues-dark");
    }
  }
}
