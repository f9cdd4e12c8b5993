package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.inject.Module;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Schedules;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.internal.admin.Admin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.WebElement;

/**
 * Takes the pictures of {@code docs/operations/dashboard.md}, under a load of half a minute: {@code
 * -Drowqueue.pictures=DIR}.
 */
@Tag("full")
@QueueTest
@EnabledIfSystemProperty(named = "rowqueue.pictures", matches = ".+")
class DashboardPicturesIT {

  private static final Duration LONG = Duration.ofMinutes(2);

  private static final String MAILS =
      """
      INSERT INTO queue_message (topic, payload)
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < %2$d)
        SELECT '%1$s', JSON_OBJECT('to', CONCAT('customer-', i, '@example.org'), 'millis', %3$d,
            'fails', i %% %4$d, 'order', JSON_OBJECT('id', CONCAT('o-', i), 'lines', JSON_ARRAY(
              JSON_OBJECT('sku', 'tea', 'quantity', 2), JSON_OBJECT('sku', 'cup', 'quantity', 1))))
          FROM n\
      """;

  private final QueueDatabase database;
  private final CountDownLatch end = new CountDownLatch(1);

  DashboardPicturesIT(QueueDatabase database) {
    this.database = database;
  }

  private static Module handler(String topic, MessageHandler<JsonNode> handler) {
    return LambdaHandlers.bind(topic, JsonNode.class, handler);
  }

  private TestWorker worker(Module... more) {
    List<Module> modules = new ArrayList<>(List.of(more));
    MessageHandler<JsonNode> work =
        (payload, context) -> {
          if (payload.path("fails").asInt() == 1) {
            throw new PermanentFailure(
                "550 5.1.1 <%s>: no such user".formatted(payload.path("to").asText()));
          }
          if (payload.path("fails").asInt() == 2) {
            throw partnerError(context.attempt());
          }
          end.await(payload.path("millis").asInt(), TimeUnit.MILLISECONDS);
        };
    for (String topic : List.of("email.send", "order.place", "partner.webhook")) {
      modules.add(handler(topic, work));
    }
    return TestWorker.start(
        database, config -> config.withThreads(6), modules.toArray(Module[]::new));
  }

  /** Each attempt fails in its own way. */
  private static RuntimeException partnerError(int attempt) {
    return switch (attempt) {
      case 1 -> new IllegalStateException("the partner answered 503 Service Unavailable");
      case 2 ->
          new UncheckedIOException("the partner hung up", new IOException("Connection reset"));
      default -> new IllegalStateException("the partner answered 504 Gateway Timeout");
    };
  }

  private void enqueue(String topic, int count, int millis, int failsOneIn) {
    database.execute(MAILS.formatted(topic, count, millis, failsOneIn));
  }

  private void hostile() {
    String quoted = Scene.HOSTILE.replace("'", "''");
    database.execute(
        "INSERT INTO queue_topic (topic, paused) VALUES ('legacy.import', 1)",
        "INSERT INTO queue_message (topic, payload, headers) VALUES ('legacy.import',"
            + " '{\"note\":\"%1$s\",\"steps\":[1,{\"a\":null}]}', '{\"x\":\"%1$s\"}')"
                .formatted(quoted),
        "INSERT INTO queue_message (topic, payload)"
            + " VALUES ('legacy.import', UNHEX(REPEAT('00ff10e2803c7363726970743e', 60)))",
        "INSERT INTO queue_message (topic, payload) VALUES ('legacy.import', REPEAT('x<',"
            + " 8388608))",
        "INSERT INTO queue_message (topic, state, due_at, payload)"
            + " SELECT 'report.nightly', 2, UTC_TIMESTAMP(6) + INTERVAL id HOUR, '{}'"
            + " FROM queue_message ORDER BY id LIMIT 40");
  }

  private long id(String where) {
    return database.count("SELECT MAX(id) FROM " + where);
  }

  private void keepEnqueueing() {
    try {
      for (int i = 0; !end.await(1_500, TimeUnit.MILLISECONDS); i++) {
        enqueue("email.send", 60 + i % 7 * 12, 60, 29);
        enqueue("order.place", 20 + i % 5 * 9, 30, 400);
        enqueue("partner.webhook", 8, 400, 4);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void pages_underLoadAndWithHostileData_areTaken() throws InterruptedException {
    assertThat(Browser.isThere()).as("Chromium and its driver").isTrue();
    hostile();
    enqueue("email.send", 900, 60, 29);
    try (TestWorker shown =
            worker(
                new AdminModule(AdminConfig.onPort(0)),
                new DashboardModule(DashboardConfig.open()));
        TestWorker external = worker();
        Browser browser = Browser.open(1280, 900)) {
      CompletableFuture<Void> producer = CompletableFuture.runAsync(this::keepEnqueueing);
      String base = "http://127.0.0.1:" + shown.get(Admin.class).port() + "/dashboard";
      browser.go(base);
      end.await(45, TimeUnit.SECONDS);
      Await.that("some have failed", LONG, () -> id("queue_dead_letter") > 0);
      take(browser, base);
      assertThat(external.get(io.rowqueue.worker.internal.WorkerPools.class).use()).isNotEmpty();
      end.countDown();
      producer.join();
    } finally {
      end.countDown();
    }
  }

  /** What workers did in the last hour, as example values; also of the minutes of the test. */
  private static final String HISTORY =
      """
      INSERT INTO queue_statistics (minutes, starts_at, topic, enqueued, depth, oldest_seconds, completed, retried,
          dead_lettered, handling_micros, handling_5, handling_6, handling_7, pickup_1, pickup_2, pickup_4)
        WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 64)
        SELECT 1, STR_TO_DATE(DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL i - 4 MINUTE, '%%Y-%%m-%%d %%H:%%i:00'),
            '%%Y-%%m-%%d %%H:%%i:%%s'), '%1$s', %2$d * (10 + i %% 7), %2$d * (9 + ABS(i %% 40 - 20)),
            ABS(i %% 40 - 20), %3$d * (11 + i %% 5), %4$d + i %% 3, i %% 2,
            %3$d * 1200000, %3$d * 4, %3$d * 5, %3$d + i %% 9, %3$d * 6, %3$d * 3, %3$d + i %% 4
          FROM n\
      """;

  private void shop() {
    QueueOperations queue = QueueOperations.of(database.dataSource());
    MessageProducer producer = MessageProducer.create();
    Schedules schedules = queue.schedules();
    ZoneId zone = ZoneId.of("Europe/Berlin");
    schedules.set(
        Schedule.cron("report.nightly", "30 3 * * *", zone)
            .enqueues(NewMessage.of("report.build", List.of(1))));
    schedules.set(
        Schedule.cron("invoice.weekdays", "0 9-17 * * MON-FRI", zone)
            .enqueues(NewMessage.of("invoice.send", List.of(1))));
    schedules.set(
        Schedule.every("cart.sweep", Duration.ofMinutes(10))
            .enqueues(NewMessage.of("order.place", List.of(1))));
    var unused = schedules.pause("invoice.weekdays");
    queue.subscriptions().subscribe("order.placed", "email.send");
    queue.subscriptions().subscribe("order.placed", "partner.webhook");
    BatchProducer batches = BatchProducer.over(producer);
    MessageBatch batch = batches.open(database.dataSource(), BatchSettings.named("price import"));
    List<NewMessage> members = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      members.add(NewMessage.of(i < 8 ? "order.place" : "price.import", java.util.Map.of("n", i)));
    }
    batches.add(database.dataSource(), batch, members);
    ChainProducer.over(producer)
        .add(
            database.dataSource(),
            batch,
            Chain.of(NewMessage.of("price.check", 1))
                .then(NewMessage.of("price.publish", 1))
                .then(NewMessage.of("email.send", 1)));
    database.execute(
        HISTORY.formatted("email.send", 60, 60, 1),
        HISTORY.formatted("order.place", 25, 25, 0),
        HISTORY.formatted("partner.webhook", 8, 7, 4),
        "INSERT INTO queue_statistics (minutes, starts_at, topic, enqueued, depth, oldest_seconds)"
            + " SELECT minutes, starts_at, '', SUM(enqueued), SUM(depth), MAX(oldest_seconds)"
            + " FROM queue_statistics GROUP BY minutes, starts_at");
  }

  private static void pictures(Browser browser, String base, String prefix, String... pages) {
    for (String page : pages) {
      String name = page.replaceAll("[/?].*$", "");
      browser.go(base + "/" + page).picture(prefix + name);
    }
  }

  /** Every page but those of messages and dead letters, with the data of a shop. */
  @Test
  void pages_ofAShop_areTaken() {
    assertThat(Browser.isThere()).as("Chromium and its driver").isTrue();
    shop();
    try (TestWorker shown =
            worker(
                new AdminModule(AdminConfig.onPort(0)),
                new DashboardModule(DashboardConfig.open()));
        TestWorker external = worker();
        Browser browser = Browser.open(1280, 900)) {
      CompletableFuture<Void> producer = CompletableFuture.runAsync(this::keepEnqueueing);
      database.execute(
          "INSERT INTO queue_topic (topic, max_in_flight, max_per_second, max_depth,"
              + " retention_days) VALUES ('email.send', 4, 200, 50000, 7),"
              + " ('partner.webhook', 2, NULL, NULL, NULL)",
          "INSERT INTO queue_message (topic, payload, ordering_key) SELECT 'order.place',"
              + " '{\"millis\": 60000}', 'customer-7' FROM queue_statistics LIMIT 5");
      String base = "http://127.0.0.1:" + shown.get(Admin.class).port() + "/dashboard";
      browser.go(base);
      end.await(40, TimeUnit.SECONDS);
      browser.go(base + "/doctor");
      Await.that("the doctor has run", LONG, () -> browser.text().contains("Checked"));
      database.execute("UPDATE queue_worker SET version = '0.1.0'");
      String[] pages = {
        "topics",
        "topic?topic=email.send",
        "schedules",
        "batches",
        "batch?id=1",
        "subscriptions",
        "limits",
        "workers",
        "doctor"
      };
      browser.go(base).picture("overview");
      pictures(browser, base, "", pages);
      browser.go(base + "/topic/settings?topic=email.send").picture("topic-settings");
      browser.scheme("dark").go(base).picture("overview-dark");
      pictures(browser, base, "dark-", "schedules", "doctor", "workers");
      browser.scheme("light").size(360, 740).go(base).picture("phone-overview");
      pictures(browser, base, "phone-", pages);
      assertThat(external.get(io.rowqueue.worker.internal.WorkerPools.class).use()).isNotEmpty();
      end.countDown();
      producer.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      end.countDown();
    }
  }

  private void take(Browser browser, String base) {
    long dead = id("queue_dead_letter WHERE reason = 'permanent-failure'");
    long tried = id("queue_dead_letter WHERE reason = 'attempts-exhausted'");
    long binary = id("queue_message WHERE topic = 'legacy.import' AND LENGTH(payload) = 780");
    long large = id("queue_message WHERE topic = 'legacy.import' AND LENGTH(payload) > 1000000");
    browser.scheme("dark").go(base + "/dead-letters/" + dead).picture("dead-letter-dark");
    browser.scheme("light").go(base + "/dead-letters/" + tried).picture("dead-letter");
    browser.go(base + "/messages").picture("messages");
    browser.go(base + "/messages/" + binary).picture("message-binary");
    browser.go(base + "/messages/" + large).picture("message-large");
    browser.go(base + "/dead-letters").picture("dead-letters");
    browser.go(base + "/dead-letters/groups").picture("dead-letter-groups");
    browser
        .go(base + "/dead-letters?topic=partner.webhook&text=504")
        .picture("dead-letters-search");
    browser.go(base + "/dead-letters/" + tried);
    browser.one("details.ask > summary").click();
    browser.picture("dead-letter-edit");
    long scheduled = id("queue_message WHERE state = 2 AND topic = 'report.nightly'");
    browser.go(base + "/messages/" + scheduled).picture("message-scheduled");
    browser.go(base + "/dead-letters/all?topic=email.send").picture("dead-letters-all");
    browser.go(base + "/topics/purge?topic=email.send").picture("purge");
    browser.go(base + "/dead-letters");
    askToDelete(browser);
    browser.picture("dead-letters-delete");
    browser.size(360, 740);
    browser.scheme("dark").go(base + "/dead-letters").picture("phone-dead-letters-dark");
    browser.go(base + "/dead-letters/groups").picture("phone-dead-letter-groups-dark");
    browser.scheme("light").go(base + "/messages/" + scheduled).picture("phone-message");
    browser.go(base + "/dead-letters/" + tried).picture("phone-dead-letter");
    browser.size(1280, 900);
    beginChanges(browser, base);
    browser.go(base + "/activity").picture("activity");
    browser.size(360, 740).go(base + "/activity").picture("phone-activity");
  }

  private static void askToDelete(Browser browser) {
    browser.all("input[name=id]").stream().limit(3).forEach(WebElement::click);
    browser.named("Delete selected…").click();
    browser.see("Cancel");
  }

  /** A purge and two large redrives, of which one goes on. */
  private void beginChanges(Browser browser, String base) {
    LargeChanges.purge(browser, base, "report.nightly");
    LargeChanges.redriveAll(browser, base, "email.send", 0);
    LargeChanges.redriveAll(browser, base, "partner.webhook", 1);
    Await.that(
        "two have ended",
        LONG,
        () ->
            database.count("SELECT COUNT(*) FROM queue_audit WHERE result LIKE 'ended after %'")
                == 2);
  }
}
