package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.Credentials;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.internal.admin.Admin;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.WebElement;

/**
 * Takes the pictures of {@code docs/dashboard}, of a shop under a load of a minute and a half:
 * {@code -Drowqueue.pictures=DIR}. What is published has passed {@code pngquant --strip}.
 */
@Tag("full")
@QueueTest
@EnabledIfSystemProperty(named = "rowqueue.pictures", matches = ".+")
class DashboardPicturesIT {

  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String ADA = "ada:a-password-of-some-length";

  /** Replaces what only tests have: names of the machine and of the schema. */
  private static final String RENAME =
      """
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        for (const [from, to] of Object.entries(arguments[0])) {
          walk.currentNode.data = walk.currentNode.data.replaceAll(from, to);
        }
      }
      """;

  private final QueueDatabase database;
  private final Shop shop;
  private final Map<String, String> names = new LinkedHashMap<>();
  private final List<TestWorker> workers = new ArrayList<>();
  private Browser browser;
  private String base = "";

  DashboardPicturesIT(QueueDatabase database) {
    this.database = database;
    this.shop = new Shop(database);
  }

  @BeforeEach
  void open() {
    assertThat(Browser.isThere()).as("Chromium and its driver").isTrue();
    browser = Browser.open(1280, 800).zone("Europe/Berlin").with("Authorization", basic());
  }

  @AfterEach
  void close() {
    if (browser != null) {
      browser.close();
    }
  }

  private TestWorker worker(Module... more) {
    TestWorker started =
        TestWorker.start(
            database,
            config -> config.withThreads(4),
            Stream.of(shop.handlers(), more).flatMap(Stream::of).toArray(Module[]::new));
    workers.add(started);
    return started;
  }

  private String dashboard(DashboardConfig config) {
    Credentials users = Credentials.users(ADA);
    TestWorker shown =
        worker(
            new AdminModule(AdminConfig.onPort(0)),
            new DashboardModule(
                config
                    .withCredentials(() -> users)
                    .withTraceUrl("https://traces.example.com/{trace_id}")));
    return "http://127.0.0.1:" + shown.get(Admin.class).port() + "/dashboard";
  }

  @Test
  void pages_ofAShop_areTaken() throws InterruptedException {
    shop.open();
    try (QueueDatabase billing = QueueDatabase.create()) {
      base = dashboard(DashboardConfig.open());
      worker();
      worker();
      worker();
      CompletableFuture<Void> load = CompletableFuture.runAsync(shop::keepEnqueueing);
      browser.go(base + "/doctor");
      Await.that("the doctor has run", LONG, () -> browser.text().contains("Checked"));
      shop.await(Duration.ofSeconds(60));
      rename();
      whileItRuns();
      rest();
      severalQueues(billing);
      shop.close();
      load.join();
    } finally {
      shop.close();
      workers.forEach(TestWorker::close);
    }
  }

  private static String basic() {
    return "Basic " + Base64.getEncoder().encodeToString(ADA.getBytes(StandardCharsets.UTF_8));
  }

  /** Two workers on each of two hosts. */
  private void rename() {
    List<String> lockIds =
        database.strings("SELECT lock_id FROM queue_worker WHERE is_alive = 1 ORDER BY started_at");
    for (int i = 0; i < lockIds.size(); i++) {
      String host = "web-" + (1 + i / 2);
      int pid = 1_204 + 17 * i;
      names.put(
          lockIds.get(i), lockIds.get(i).replaceFirst("^.*-(?=[^-]+$)", host + "-" + pid + "-"));
      database.execute(
          "UPDATE queue_worker SET version = '0.1.0', host = '%s', pid = %d WHERE lock_id = '%s'"
              .formatted(host, pid, lockIds.get(i)));
    }
    names.put(database.name(), "shop");
  }

  private void take(String name) {
    var unused = browser.script(RENAME, names);
    browser.picture(name);
  }

  private void take(String path, String name) {
    // Twenty completed messages would make the topic's page long.
    database.execute(
        "DELETE FROM queue_archive WHERE settled_at < UTC_TIMESTAMP(6) - INTERVAL 2 SECOND");
    browser.go(base + path);
    Await.that("times are local", LONG, () -> browser.all("main time:not([title*='·'])").isEmpty());
    take(name);
  }

  /** On a desktop and on a phone, light and dark. */
  private void takeAll(String path, String name) {
    take(path, name);
    browser.scheme("dark");
    take(path, name + "-dark");
    browser.size(360, 740);
    take(path, "phone-" + name + "-dark");
    browser.scheme("light");
    take(path, "phone-" + name);
    browser.size(1280, 800);
  }

  private void whileItRuns() {
    new ShopHistory(database).write();
    database.execute(
        "INSERT INTO queue_audit (at, actor, origin, action, target, result) VALUES"
            + " (UTC_TIMESTAMP(6) - INTERVAL 43 MINUTE, 'ada', '10.1.2.3', 'topic.change',"
            + " 'partner.webhook', 'Maximum running at once: 4 -> 2')");
    takeAll("", "overview");
    takeAll("/topic?topic=" + Shop.WEBHOOK, "topic");
    takeAll("/workers", "workers");
    take("/topics", "topics");
    take("/limits", "limits");
    take("/batches", "batches");
    take("/batch?id=1", "batch");
    take("/doctor", "doctor");
  }

  private long id(String where) {
    return database.count("SELECT MAX(id) FROM " + where);
  }

  private void rest() {
    take("/schedules", "schedules");
    take("/subscriptions", "subscriptions");
    take("/topic/settings?topic=" + Shop.WEBHOOK, "topic-settings");
    take("/topics/purge?topic=price.import", "purge");
    take("/workers/drain?host=web-2", "drain");
    take("/messages?state=scheduled", "messages");
    String message = "/messages/" + id("queue_message WHERE topic = '" + Shop.INVOICE + "'");
    browser.go(base + message);
    browser.all("details.ask > summary").get(1).click();
    WebElement priority = browser.one("#priority");
    priority.clear();
    priority.sendKeys("-5");
    browser.named("Change priority").click();
    browser.see("given priority");
    takeAll(message, "message");
    deadLetters();
    changes();
  }

  private void deadLetters() {
    String earlier = " - INTERVAL id % 7 * 41 MINUTE";
    database.execute(
        "UPDATE queue_attempt SET failed_at = failed_at"
            + earlier.replace("id", "message_id")
            + " WHERE message_id IN (SELECT id FROM queue_dead_letter)",
        "UPDATE queue_dead_letter SET dead_at = dead_at%1$s, due_at = due_at%1$s, created_at = created_at%1$s"
            .formatted(earlier));
    takeAll("/dead-letters", "dead-letters");
    take("/dead-letters/groups", "dead-letter-groups");
    take("/dead-letters?topic=" + Shop.WEBHOOK + "&text=504", "dead-letters-search");
    take("/dead-letters/all?topic=" + Shop.WEBHOOK, "dead-letters-all");
    String one =
        "/dead-letters/"
            + database.count(
                "SELECT MIN(id) FROM queue_dead_letter WHERE ordering_key IS NULL AND topic = '%s'"
                    .formatted(Shop.WEBHOOK));
    take(one, "dead-letter");
    browser.one("details.ask > summary").click();
    take("dead-letter-edit");
    browser.go(base + "/dead-letters");
    browser.all("input[name=id]").stream().limit(3).forEach(WebElement::click);
    browser.named("Delete selected…").click();
    browser.see("Cancel");
    take("dead-letters-delete");
  }

  /** A purge and two large redrives, of which one goes on. */
  private void changes() {
    LargeChanges.purge(browser, base, "price.import");
    LargeChanges.redriveAll(browser, base, "email.send", 0);
    LargeChanges.redriveAll(browser, base, Shop.WEBHOOK, 1);
    Await.that(
        "two have ended",
        LONG,
        () ->
            database.count(
                    "SELECT COUNT(*) FROM queue_audit WHERE action IN ('topic.purge',"
                        + " 'dead-letter.redrive-all') AND result <> 'started'")
                == 2);
    take("/activity", "activity");
  }

  private void severalQueues(QueueDatabase billing) {
    billing.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('invoice.send', '{}'), ('dunning',"
            + " '{}')");
    base = dashboard(DashboardConfig.open().withQueue("billing", billing.config()));
    browser.go(base + "/topics");
    browser.one(".queues summary").click();
    take("several-queues");
  }
}
