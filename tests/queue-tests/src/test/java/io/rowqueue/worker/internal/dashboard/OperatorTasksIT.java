package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/**
 * Ten tasks of an operator, each from the overview, with the steps that it takes: clicks, choices
 * and inputs. Prints the table of {@code docs/why/comparison.md} with the seconds that the browser
 * took.
 */
@QueueTest
class OperatorTasksIT extends InBrowser {

  /** Nine hours before UTC. */
  private static final String ZONE = "Asia/Tokyo";

  /** Since 02:00 in the operator's zone. */
  private static final String ORDERS_FAILED =
      """
      INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims, reason,
          detail, fingerprint, worker, due_at, created_at, dead_at, payload)
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        SELECT 100000 + i, 'orders', 0, 1, 1, 0, 'attempts-exhausted',
            IF(i % 4 = 0, 'java.lang.IllegalArgumentException: no such customer',
              CONCAT('java.io.IOException: the partner answered 50', IF(i % 4 = 1, 2, 4))),
            IF(i % 4 = 0, 1, IF(i % 4 = 1, 2, 3)), 'h',
            UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_DATE() - INTERVAL 7 HOUR + INTERVAL i SECOND,
            '{}' FROM n\
      """;

  private int steps;

  OperatorTasksIT(QueueDatabase database) {
    super(database);
  }

  @Test
  void operator_doesTenTasks() {
    prepare();
    browser.zone(ZONE);
    task("find why orders fail since 02:00", this::findWhyOrdersFail);
    task("redrive only the messages with 504", this::redriveOnlyThose);
    task("stop one tenant's flood", () -> set("mail.send", "key-per-second", "5"));
    task("see what a stuck worker does", this::seeWhatAWorkerDoes);
    task("run the nightly report now", this::runTheReport);
    task("find the message of order 4711", this::findTheOrder);
    task("drain a host", this::drainAHost);
    task("lower a rate", () -> set("orders", "per-second", "20"));
    task("see whether a backlog shrinks", this::seeTheBacklog);
    task("prove who purged a topic", this::proveWhoPurged);
    assertThat(browser.complaints()).isEmpty();
  }

  private void prepare() {
    scene.enqueue("held", 2);
    scene.enqueue("legacy", 3);
    Await.that(
        "two run",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1") == 2);
    database.execute(
        ORDERS_FAILED,
        "INSERT INTO queue_message (topic, payload, headers)"
            + " VALUES ('orders', '{}', '{\"order\":\"4711\"}')",
        "INSERT INTO queue_schedule (name, topic, cron, next_at, payload) VALUES ('report.nightly',"
            + " 'reports', '30 3 * * *', UTC_TIMESTAMP(6) + INTERVAL 1 DAY, '{}')",
        "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
            + " started_at, updated_at) VALUES ('batch-7-1-x', 'batch-7', 1, 1,"
            + " UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, '0.1.0', 'orders', UTC_TIMESTAMP(6),"
            + " UTC_TIMESTAMP(6))");
    String purge = "/dashboard/topics/purge";
    scene.operator().done(purge + "?topic=legacy", purge, "topic", "legacy", "sure", "legacy");
  }

  private void task(String name, Runnable work) {
    browser.go(url("/dashboard"));
    steps = 0;
    long start = System.nanoTime();
    work.run();
    System.out.printf(
        Locale.ROOT, "| %s | %d | %.1f |%n", name, steps, (System.nanoTime() - start) / 1e9);
  }

  private void click(String name) {
    steps++;
    browser.named(name).click();
  }

  private void click(WebElement element) {
    steps++;
    element.click();
  }

  private void type(String selector, String text) {
    steps++;
    WebElement input = browser.one(selector);
    if ("datetime-local".equals(input.getAttribute("type"))) {
      var unused = browser.script("arguments[0].value = arguments[1]", input, text);
    } else {
      input.clear();
      input.sendKeys(text);
    }
  }

  private void choose(String selector, String value) {
    steps++;
    browser.one(selector + " option[value='" + value + "']").click();
  }

  private void findWhyOrdersFail() {
    click("Dead letters");
    click("By error");
    choose("#topic", "orders");
    assertThat(browser.one("label[for=from]").getText()).isEqualTo("From (" + ZONE + ")");
    type("#from", database.strings("SELECT CONCAT(UTC_DATE(), 'T02:00:00')").get(0));
    click("Show");
    browser.see("the partner answered 504");
    assertThat(browser.text()).contains("20", "the partner answered 502", "no such customer");
  }

  private void redriveOnlyThose() {
    click("Dead letters");
    click("By error");
    click(
        browser.driver().findElement(By.xpath("//tr[contains(., 'answered 504')]//td[last()]/a")));
    click("Redrive 20");
    Await.that("the others are left", SOON, () -> dead() == 20);
  }

  private void set(String topic, String setting, String value) {
    click("Topics");
    click(browser.driver().findElement(By.linkText(topic)));
    click("Change settings…");
    type("#" + setting, value);
    click("Save");
    browser.see("Settings");
    assertThat(
            database.count(
                ("SELECT COUNT(*) FROM queue_topic WHERE topic = '%s'"
                        + " AND %s IN (max_per_second, key_max_per_second)")
                    .formatted(topic, value)))
        .isEqualTo(1);
  }

  private void seeWhatAWorkerDoes() {
    click("Workers");
    click(browser.one(".workers table a"));
    browser.see("Timeline");
  }

  private void runTheReport() {
    click("Schedules");
    click("Run now");
    browser.see("Schedule report.nightly");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'reports'"))
        .isEqualTo(1);
  }

  private void findTheOrder() {
    click("Messages");
    type("#q", "order=4711");
    click("Show");
    browser.see("searched as a header");
    click(browser.one("tbody th a"));
    browser.see("4711");
  }

  private void drainAHost() {
    click("Workers");
    click(browser.one("#drain-host-batch-7"));
    click("Drain this worker");
    browser.see("draining");
  }

  private void seeTheBacklog() {
    click("Topics");
    click(browser.driver().findElement(By.linkText("orders")));
    browser.see("Enqueued/s");
    assertThat(browser.text()).contains("Completed/s");
  }

  private void proveWhoPurged() {
    click("Activity");
    browser.see("purge topic");
    List<WebElement> rows = browser.all("tr");
    assertThat(rows)
        .anySatisfy(
            row -> assertThat(row.getText()).contains("purge topic", "legacy", "127.0.0.1"));
  }
}
