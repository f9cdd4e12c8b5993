package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

@QueueTest
class DashboardBrowserIT extends InBrowser {

  DashboardBrowserIT(QueueDatabase database) {
    super(database);
  }

  @Test
  void overview_whileMessagesArrive_countsThemByItself() {
    browser.go(url("/dashboard"));
    assertThat(browser.one("#live-state").isDisplayed()).isTrue();
    scene.enqueue("newcomer", 4);
    Await.that("the page shows them by itself", SOON, () -> browser.text().contains("newcomer"));
    Await.that("a chart has a line", SOON, () -> !browser.all(".chart svg polyline").isEmpty());
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void search_thatHasFoundNothingYet_continuesByItself() {
    database.execute(Scene.HAYSTACK);
    browser.go(url("/dashboard/messages?state=scheduled&q=tenant%3Dacme"));
    Await.that("it is found", SOON, () -> !browser.all("#found tbody tr").isEmpty());
    Await.that("the search has ended", SOON, () -> browser.all("#stop-search").isEmpty());
    assertThat(browser.driver().getCurrentUrl()).contains("&after=");
    assertThat(browser.named("Run selected now").isEnabled()).isFalse();
    browser.one("#all").click();
    browser.named("Run selected now").click();
    browser.see("1 of 1 due now");
    assertThat(browser.complaints()).isEmpty();
  }

  /** Another page that is live shows when the paused one would have been read anew. */
  @Test
  void live_paused_staysAsItIsUntilItIsLiveAgain() {
    browser.go(url("/dashboard"));
    assertThat(browser.one(".live [aria-current]").getText()).isEqualTo("3 s");
    browser.named("off").click();
    assertThat(browser.one("#live-state").getText()).isEmpty();
    String before = browser.text();
    scene.enqueue("newcomer", 1);
    try (Browser other = Browser.open(1280, 900)) {
      other.go(url("/dashboard"));
      Await.that("the other shows it", SOON, () -> other.text().contains("newcomer"));
      awaitAnotherReading(other);
      awaitAnotherReading(other);
    }
    assertThat(browser.text()).isEqualTo(before).doesNotContain("newcomer");
    browser.named("3 s").click();
    Await.that("it goes on", SOON, () -> browser.text().contains("newcomer"));
    assertThat(browser.one("#live-state").getText()).isEqualTo("live");
  }

  @Test
  void live_readAnew_keepsWhatIsTyped() {
    browser.go(url("/dashboard/activity"));
    browser.one("#target").sendKeys("orders");
    awaitAnotherReading(browser);
    assertThat(browser.one("#target").getAttribute("value")).isEqualTo("orders");
    browser.named("Show").click();
    browser.see("No changes.");
    assertThat(browser.complaints()).isEmpty();
  }

  private static void awaitAnotherReading(Browser of) {
    of.script("document.querySelector('#page > *').dataset.old = 'yes'");
    Await.that("the page is read anew", SOON, () -> of.all("#page > [data-old]").isEmpty());
  }

  @Test
  void hostilePayloadsTopicsAndErrors_runNothing() {
    scene.fail(1);
    scene.enqueue(Scene.HOSTILE_TOPIC, 1);
    String quoted = Scene.HOSTILE.replace("'", "''");
    database.execute(
        "INSERT INTO queue_message (topic, payload, headers, ordering_key, state)"
            + " VALUES ('other', '%1$s', '%1$s', '%1$s', 0)".formatted(quoted),
        "INSERT INTO queue_message (topic, payload) VALUES ('other', REPEAT('<b>', 5592405))",
        "INSERT INTO queue_message (topic, payload) VALUES ('other', UNHEX('00ff00fe3c623e'))");
    for (String path : paths()) {
      browser.go(url(path));
      assertThat(browser.driver().getTitle()).as(path).endsWith("· RowQueue");
      assertThat(browser.all("main script, main img, main b + script")).as(path).isEmpty();
      assertThat(browser.complaints()).as(path).isEmpty();
    }
  }

  /** Injected into the page behind the templates' back, it still does not run. */
  @Test
  void policy_ofThePage_stopsWhatIsInjected() {
    browser.go(url("/dashboard"));
    browser.script(
        "const d = document.createElement('div');"
            + "d.innerHTML = '<img src=x onerror=\"document.title=1\"><svg"
            + " onload=\"document.title=2\">';"
            + "document.body.append(d);"
            + "const s = document.createElement('script'); s.textContent = 'document.title=3';"
            + "document.body.append(s);");
    Await.that("the policy complains", SOON, () -> !browser.complaints().isEmpty());
    assertThat(browser.driver().getTitle()).isEqualTo("Overview · RowQueue");
  }

  @Test
  void deadLetters_byKeyboardAlone_areRedriven() {
    scene.fail(2);
    database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere'");
    browser.go(url("/dashboard/dead-letters"));
    assertThat(browser.one("button[value=redrive]").isEnabled()).isFalse();
    WebElement first = focus("input[name=id]");
    first.sendKeys(Keys.SPACE);
    assertThat(first.isSelected()).isTrue();
    assertThat(browser.one("button[value=redrive]").isEnabled()).isTrue();
    String outline = first.getCssValue("outline-style");
    assertThat(outline).isEqualTo("solid");
    focus("button[value=redrive]").sendKeys(Keys.ENTER);
    browser.see("1 of 1 redriven");
    assertThat(dead()).isEqualTo(1);
  }

  private WebElement focus(String selector) {
    WebElement wanted = browser.one(selector);
    for (int i = 0; i < 60; i++) {
      if (wanted.equals(browser.driver().switchTo().activeElement())) {
        return wanted;
      }
      browser.driver().switchTo().activeElement().sendKeys(Keys.TAB);
    }
    browser.go(browser.driver().getCurrentUrl());
    throw new AssertionError("no key leads to " + selector);
  }

  @Test
  void theme_chosenWithoutScripts_isThatOfEveryPage() {
    browser.scripts(false).scheme("light").go(url("/dashboard/topics?refresh=0"));
    String light = ground();
    browser.named("dark").click();
    Await.that("it is dark", SOON, () -> !browser.all("[data-theme=dark]").isEmpty());
    assertThat(browser.driver().getCurrentUrl()).endsWith("/topics?refresh=0");
    String dark = ground();
    assertThat(dark).isNotEqualTo(light);
    browser.go(url("/dashboard/limits"));
    assertThat(ground()).isEqualTo(dark);
    browser.named("auto").click();
    Await.that("it is as the system", SOON, () -> !browser.all("[data-theme=auto]").isEmpty());
    assertThat(ground()).isEqualTo(light);
  }

  private String ground() {
    return browser.one("body").getCssValue("background-color");
  }

  @Test
  void skipLink_isTheFirst_andLeadsToTheContent() {
    browser.go(url("/dashboard/topics"));
    browser.one("body").sendKeys(Keys.TAB);
    WebElement first = browser.driver().switchTo().activeElement();
    assertThat(first.getText()).contains("Skip");
    first.sendKeys(Keys.ENTER);
    assertThat(browser.script("return document.activeElement.id")).isEqualTo("content");
  }

  @Test
  void focus_throughARefresh_stays() {
    scene.enqueue("other", 1);
    browser.go(url("/dashboard/topics"));
    Await.that("it is listed", SOON, () -> !browser.all("#purge-other").isEmpty());
    browser.script(
        "document.getElementById('purge-other').focus();"
            + "document.getElementById('purge-other').dataset.old = 'yes';");
    Await.that(
        "the page is shown anew", SOON, () -> browser.all("#purge-other[data-old]").isEmpty());
    assertThat(browser.script("return document.activeElement.id")).isEqualTo("purge-other");
  }

  @Test
  void changes_withoutScripts_workAllTheSame() {
    scene.fail(1);
    database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere'");
    browser.scripts(false).go(url("/dashboard/topics"));
    browser.one("[id=pause-held]").click();
    browser.see("Topic held is paused");
    browser.go(url("/dashboard/dead-letters"));
    browser.one("input[name=id]").click();
    browser.named("Delete selected…").click();
    assertThat(dead()).isEqualTo(1);
    browser.named("Delete").click();
    browser.see("1 of 1 deleted");
    assertThat(dead()).isZero();
  }

  /** Links keep UTC, and so show the same messages in every zone. */
  @Test
  void times_ofForms_areThoseOfTheBrowsersZone_andSentInUtc() {
    database.execute(
        "INSERT INTO queue_message (topic, state, due_at, payload)"
            + " VALUES ('other', 2, '2099-01-01', '{}')");
    browser.zone("Asia/Tokyo").go(url("/dashboard/messages?from=2026-11-28T17:00:00"));
    assertThat(browser.one("label[for=from]").getText()).isEqualTo("From (Asia/Tokyo)");
    assertThat(browser.one("#from").getAttribute("value")).startsWith("2026-11-29T02:00");
    browser.named("Show").click();
    awaitAddress("from=2026-11-28T17%3A00%3A00&to=&");
    set("#from", "2026-11-29T03:30");
    browser.named("Show").click();
    awaitAddress("from=2026-11-28T18%3A30%3A00&to=&");
    browser.go(url("/dashboard/messages/" + database.count("SELECT id FROM queue_message")));
    browser.one(".ask summary").click();
    set("#due", "2099-01-02T09:30");
    browser.named("Reschedule").click();
    browser.see("is due at 2099-01-02 00:30:00 UTC");
    browser.scripts(false).go(url("/dashboard/messages?from=2026-11-28T17:00:00"));
    assertThat(browser.one("label[for=from]").getText()).isEqualTo("From (UTC)");
    assertThat(browser.one("#from").getAttribute("value")).startsWith("2026-11-28T17:00");
  }

  private void awaitAddress(String part) {
    Await.that(
        "the address has " + part,
        SOON,
        () -> String.valueOf(browser.driver().getCurrentUrl()).contains(part));
  }

  private void set(String selector, String value) {
    var unused = browser.script("arguments[0].value = arguments[1]", browser.one(selector), value);
  }

  @Test
  void purge_asksForTheName() {
    database.execute("INSERT INTO queue_topic (topic, paused) VALUES ('held', 1)");
    scene.enqueue("other", 3);
    browser.go(url("/dashboard/topics/purge?topic=other"));
    browser.one("#sure").sendKeys("others", Keys.ENTER);
    browser.see("Nothing was purged");
    browser.go(url("/dashboard/topics/purge?topic=other"));
    browser.one("#sure").sendKeys("other", Keys.ENTER);
    Await.that(
        "it is purged",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'other'") == 0);
    Await.that("it says so", SOON, () -> browser.text().contains("completed"));
  }

  @Test
  void twoOperators_atOnce_seeEachOthersChanges() {
    scene.fail(2);
    database.execute("UPDATE queue_dead_letter SET topic = 'elsewhere'");
    try (Browser other = Browser.open(1280, 900)) {
      browser.go(url("/dashboard/dead-letters"));
      other.go(url("/dashboard/dead-letters"));
      browser.one("#all").click();
      other.one("#all").click();
      browser.named("Redrive selected").click();
      browser.see("2 of 2 redriven");
      other.named("Redrive selected").click();
      other.see("0 of 2 redriven; the others had already been changed");
      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'elsewhere'"))
          .isEqualTo(2);
      browser.go(url("/dashboard/topics"));
      other.go(url("/dashboard/topics"));
      browser.one("[id=pause-held]").click();
      Await.that(
          "the other sees it by itself", SOON, () -> !other.all("[id=resume-held]").isEmpty());
    }
  }
}
