package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.inject.Module;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.ManyMessages;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.internal.admin.Admin;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.WebElement;

/**
 * What operators do in a browser, over a queue of millions and beside a worker that drains it:
 * {@code -Drowqueue.rows=5000000}. Prints how long each page took, from the click until it was
 * drawn.
 */
@Tag("full")
@QueueTest
@EnabledIfSystemProperty(named = "rowqueue.rows", matches = "[0-9]+")
class DashboardMillionsIT {

  private static final Duration LONG = Duration.ofMinutes(3);

  private static final String TIMES =
      "const n = performance.getEntriesByType('navigation')[0];"
          + "return [n.responseEnd, n.loadEventEnd, n.transferSize].map(Math.round)";

  /** How far the counts go is a matter of how busy the server is. */
  private static final String COUNTED = ",000+";

  /** Beside a number that is not counted. */
  private static final String ESTIMATED = "≈";

  private final QueueDatabase database;
  private final CountDownLatch end = new CountDownLatch(1);

  DashboardMillionsIT(QueueDatabase database) {
    this.database = database;
  }

  /** A topic of slow handlers, so that there is somebody at work on every picture. */
  private Module handler(String topic, int millis) {
    return LambdaHandlers.bind(
        topic, JsonNode.class, (payload, context) -> end.await(millis, TimeUnit.MILLISECONDS));
  }

  @Test
  void pagesAndChanges_overMillionsOfMessages_areUsable() {
    assertThat(Browser.isThere()).as("Chromium and its driver").isTrue();
    ManyMessages.fill(database, Long.getLong("rowqueue.rows"), 10, 200_000);
    try (TestWorker worker =
            TestWorker.start(
                database,
                config -> config.withThreads(8),
                handler("topic.0", 20),
                handler("topic.1", 60),
                new AdminModule(AdminConfig.onPort(0)),
                new DashboardModule(DashboardConfig.open()));
        Browser browser = Browser.open(1280, 900)) {
      String base = "http://127.0.0.1:" + worker.get(Admin.class).port() + "/dashboard";
      poll(browser, base);
      turnPages(browser, base);
      change(browser, base);
    } finally {
      end.countDown();
    }
  }

  private void poll(Browser browser, String base) {
    visit(browser, "overview, first", base, "topic.9");
    browser.see(ESTIMATED);
    browser.picture("millions-overview");
    visit(browser, "overview again", base, ESTIMATED);
    Await.that("the page counts on", LONG, () -> !browser.all(".chart polyline").isEmpty());
    visit(browser, "topics", base + "/topics", "topic.9");
    browser.picture("millions-topics");
    visit(browser, "workers", base + "/workers", "topic.0");
    visit(browser, "dead letters", base + "/dead-letters", "IllegalState");
    visit(browser, "all that match", base + "/dead-letters/all", COUNTED);
    visit(browser, "the question before a purge", base + "/topics/purge?topic=topic.9", "topic.9");
  }

  /** By the form and by the button, as operators do; then one message in the middle. */
  private void turnPages(Browser browser, String base) {
    visit(browser, "messages", base + "/messages", "topic.");
    browser.one("#topic").sendKeys("topic.7");
    browser.one("#state").sendKeys("available");
    browser.named("Show").click();
    report(browser, "messages of a topic, by the form");
    List<String> before = ids(browser);
    for (int page = 2; page < 5; page++) {
      browser.named("Next page").click();
      report(browser, "page " + page);
      assertThat(ids(browser)).hasSize(50).doesNotContainAnyElementsOf(before);
      before = ids(browser);
    }
    browser.picture("millions-messages");
    browser.one("tbody th a").click();
    report(browser, "one message");
    browser.see(before.get(0));
    browser.see("xxxxxxxx");
  }

  private static List<String> ids(Browser browser) {
    return browser.all("tbody th a").stream().map(WebElement::getText).toList();
  }

  /** A purge of a tenth and a redrive at fifty a second, while every other page still comes. */
  private void change(Browser browser, String base) {
    LargeChanges.purge(browser, base, "topic.9");
    LargeChanges.redriveAll(browser, base, "topic.2", 50);
    visit(browser, "activity, beside a purge and a redrive", base + "/activity", "topic.9");
    Await.that(
        "the page tells of a redrive that goes on",
        LONG,
        () -> browser.go(base + "/activity").all("button[id^=stop-]").size() == 2);
    browser.picture("millions-activity");
    visit(browser, "overview, beside them", base, ESTIMATED);
    visit(browser, "dead letters, beside them", base + "/dead-letters", "IllegalState");
    browser.go(base + "/activity");
    while (!browser.all("button[id^=stop-]").isEmpty()) {
      browser.one("button[id^=stop-]").click();
      browser.go(base + "/activity");
    }
    assertThat(browser.text()).contains("stopped");
  }

  private static void visit(Browser browser, String name, String url, String says) {
    browser.go(url);
    browser.see(says);
    report(browser, name);
  }

  /** And that it complained of nothing. */
  private static void report(Browser browser, String name) {
    List<?> times = (List<?>) Objects.requireNonNull(browser.script(TIMES));
    System.out.printf(
        Locale.ROOT,
        "| %s | %s ms | %s ms | %s bytes |%n",
        name,
        times.get(0),
        times.get(1),
        times.get(2));
    assertThat(browser.complaints()).as(name).isEmpty();
    assertThat(browser.overflow()).as("pixels that %s is too wide", name).isZero();
  }
}
