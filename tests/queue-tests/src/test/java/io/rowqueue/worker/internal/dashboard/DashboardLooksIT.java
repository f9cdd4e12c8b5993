package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.SecondServer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.openqa.selenium.By;

@QueueTest
@DisabledIfSystemProperty(
    named = SecondServer.PROPERTY,
    matches = "true",
    disabledReason = "no server has a say in how pages look")
class DashboardLooksIT extends InBrowser {

  private static final List<String> SCHEMES = List.of("light", "dark");

  private static final String OPEN_ALL =
      "document.querySelectorAll('details').forEach((one) => { one.open = true; })";

  /** Tables that have to be moved sideways to be read. */
  private static final String CUT =
      "return [...document.querySelectorAll('.scroll, .card')]"
          + ".filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)";

  /** Destructive buttons with another button less than 16 pixels away. */
  private static final String NEAR =
      """
      const shown = [...document.querySelectorAll('main button, main .button')].filter((one) => one.checkVisibility());
      const isBad = (one) => one.matches('.plain-bad');
      const gap = (one, other) => {
        const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
        return Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom);
      };
      return shown.filter(isBad).flatMap((bad) => shown.filter((one) => !isBad(one) && gap(bad, one) < 16)
        .map((one) => bad.innerText + ' beside ' + one.innerText));
      """;

  /** Kinds of text with colours of their own. */
  private static final List<String> TEXTS =
      List.of(
          "h1",
          "h2",
          "h3",
          "th",
          "td",
          "dt",
          "dd",
          "pre code",
          "label",
          "input",
          "select",
          "summary",
          "figcaption",
          "nav a",
          "nav a[aria-current]",
          "main a",
          "a.bad",
          "a.button",
          ".brand",
          ".badge",
          ".hint",
          ".foot",
          "#live-state",
          ".live a",
          ".live a[aria-current]",
          ".legend li",
          ".legend b",
          ".empty",
          ".note",
          ".note.bad",
          ".tile dt a",
          ".tile dd span",
          ".tile.bad strong",
          ".tile.warn strong",
          ".quiet td",
          "td.warn",
          ".tag",
          ".tag.warn",
          ".tag.bad",
          "button",
          "button.main",
          "button.bad",
          "button.plain-bad",
          "summary.plain-bad",
          ".ids li");

  /**
   * By the formula of WCAG, against the grounds that lie below the text; gives back the texts that
   * have less than 4.5 to 1, and the kinds of text that there are.
   */
  private static final String CONTRAST =
      """
      const colour = (c) => {
        const v = /^rgba?\\(([^)]+)\\)$/.exec(c);
        if (!v) { throw new Error('no colour that this test knows: ' + c); }
        const n = v[1].split(',').map(Number);
        return n.length === 4 ? n : [...n, 1];
      };
      const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
      const ground = (e) => {
        const own = colour(getComputedStyle(e).backgroundColor);
        const below = own[3] === 1 ? own : e.parentElement ? ground(e.parentElement) : [255, 255, 255];
        return over(own, below);
      };
      const lum = (c) => {
        const v = c.map((x) => x / 255).map((x) => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
      };
      const contrast = (e) => {
        const on = ground(e);
        const a = lum(over(colour(getComputedStyle(e).color), on)), b = lum(on);
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      };
      const isText = (e) => e.checkVisibility() && (e.matches('input:not([type=checkbox]), select')
        || [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()));
      const texts = [...document.body.querySelectorAll('*')].filter(isText);
      return {
        faint: texts.filter((e) => !(contrast(e) >= 4.5))
          .map((e) => e.tagName + '.' + e.className + ' "' + e.textContent.trim().slice(0, 40) + '" ' + contrast(e)),
        seen: arguments[0].filter((kind) => texts.some((e) => e.matches(kind))),
      };
      """;

  DashboardLooksIT(QueueDatabase database) {
    super(database);
  }

  @Test
  void pages_onAPhone_areNoWiderThanIt() {
    wide();
    for (String scheme : SCHEMES) {
      browser.size(360, 740).scheme(scheme);
      for (String path : paths()) {
        browser.go(url(path));
        browser.script(OPEN_ALL);
        assertThat(browser.overflow()).as("%s at 360 pixels", path).isZero();
        assertThat((List<?>) browser.script(CUT)).as("what is cut of %s", path).isEmpty();
      }
      browser.go(url(missing()));
      assertThat(browser.overflow()).as("what did not work, at 360 pixels").isZero();
      askToDelete();
      assertThat(browser.overflow()).as("the question at 360 pixels").isZero();
    }
  }

  /** The keyboard visits them in the order of the page's text. */
  @Test
  void menuAndTabs_onAPhone_keepTheirOrder() {
    browser.size(360, 740).go(url("/dashboard/dead-letters/groups"));
    assertThat(
            browser.all("nav").stream()
                .map(nav -> nav.findElements(By.cssSelector("a")))
                .map(links -> links.stream().map(link -> link.getLocation().getX()).toList()))
        .hasSize(2)
        .allSatisfy(lefts -> assertThat(lefts).isSorted());
  }

  /** A finger or a pointer that misses its button by a little hits none of these. */
  @Test
  void destructiveButtons_standApart() {
    scene.fail(1);
    scene.enqueue("held", 3);
    database.execute(
        "INSERT INTO queue_message (topic, state, due_at, payload)"
            + " VALUES ('other', 2, '2099-01-01', '{}')");
    for (int width : List.of(1280, 360)) {
      browser.size(width, 740);
      for (String path : paths()) {
        browser.go(url(path));
        assertThat((List<?>) browser.script(NEAR)).as("%s at %d pixels", path, width).isEmpty();
      }
    }
  }

  /** Messages and a dead letter whose texts have nowhere to break. */
  private void wide() {
    scene.enqueue(Scene.PARTNER, 1);
    Await.that("it is set aside", SOON, () -> dead() == 1);
    scene.enqueue("a.topic.with.a.name.that.is.about.as.long.as.one.may.be.in.here", 1);
    runSince("59 MINUTE");
    database.execute(
        "INSERT INTO queue_message (topic, state, payload, headers, ordering_key) VALUES"
            + " ('other', 0, CONCAT('{\"one\":\"', REPEAT('w', 3000), '\"}'),"
            + " CONCAT('{\"one\":\"', REPEAT('h', 3000), '\"}'), REPEAT('k', 255))",
        "INSERT INTO queue_message (topic, payload) VALUES ('other', REPEAT('w', 3000))",
        "INSERT INTO queue_message (topic, payload) VALUES ('other', REPEAT(UNHEX('00ff'), 900))",
        "UPDATE queue_dead_letter SET detail = REPEAT('d', 3000), ordering_key = REPEAT('k', 255),"
            + " payload = REPEAT('w', 3000), headers = REPEAT('h', 3000)",
        "UPDATE queue_attempt SET error_class = REPEAT('c', 255),"
            + " error_message = REPEAT('m', 3000), error_trace = REPEAT('t', 3000)");
  }

  private void runSince(String ago) {
    scene.enqueue("held", 1);
    Await.that(
        "it runs",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1") == 1);
    database.execute(
        "UPDATE queue_message SET updated_at = UTC_TIMESTAMP(6) - INTERVAL %s WHERE state = 1"
            .formatted(ago));
  }

  private static String missing() {
    return "/dashboard/messages/99999999999999999";
  }

  private void askToDelete() {
    browser.go(url("/dashboard/dead-letters"));
    browser.one("input[name=id]").click();
    browser.one("button[value=delete]").click();
    browser.see("Cancel");
  }

  /** Every text of every kind of page, and each kind of text on one of them at least. */
  @Test
  void texts_inBothSchemes_haveEnoughContrast() {
    colourful();
    database.execute(
        "INSERT INTO queue_statistics (minutes, starts_at, topic, retried) VALUES"
            + " (1, UTC_TIMESTAMP() - INTERVAL 2 MINUTE, 'mail.send', 60)");
    for (String scheme : SCHEMES) {
      browser.scheme(scheme);
      Set<String> seen = new HashSet<>();
      browser.go(url("/dashboard"));
      Await.that(
          "the page warns of failures",
          SOON,
          () -> {
            assertContrast(scheme, seen);
            return seen.contains(".tile.warn strong");
          });
      for (String path : colourfulPaths()) {
        browser.go(url(path));
        browser.script(OPEN_ALL);
        assertContrast(scheme, seen);
      }
      askToDelete();
      assertContrast(scheme, seen);
      press(scheme.equals("light") ? "pause-held" : "resume-held");
      assertContrast(scheme, seen);
      assertThat(seen).as("kinds of text in %s", scheme).containsAll(TEXTS);
    }
  }

  /** Something of every colour: what is paused, old, unhandled, dead, and a large change. */
  private void colourful() {
    runSince("2 HOUR");
    scene.enqueue("other", 2);
    database.execute(
        "INSERT INTO queue_topic (topic, paused) VALUES ('legacy', 1)",
        "INSERT INTO queue_message (topic, payload) WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL"
            + " SELECT i + 1 FROM n WHERE i < 599) SELECT 'elsewhere', '{}' FROM n",
        "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
            + " reason, detail, worker, due_at, created_at, dead_at, payload) SELECT id, topic, 0,"
            + " 1, 1, 0, 'claims-lost', 'lost', 'h-1-x', due_at, created_at, created_at, payload"
            + " FROM queue_message WHERE topic = 'elsewhere'",
        "DELETE FROM queue_message WHERE topic = 'elsewhere'");
    scene.fail(1);
    String all = "/dashboard/dead-letters/all";
    scene
        .operator()
        .done(all, all, "do", "redrive", "topic", "elsewhere", "reason", "", "rate", "1");
  }

  /** Every page of the menu, of a message in flight, a waiting and a dead one, and of trouble. */
  private List<String> colourfulPaths() {
    List<String> paths = new ArrayList<>(SecurityOfDashboardIT.PATHS);
    paths.addAll(
        database.strings(
            "SELECT CONCAT('/dashboard/messages/', MIN(id)) FROM queue_message"
                + " WHERE topic IN ('held', 'other') GROUP BY topic"));
    paths.addAll(
        database.strings(
            "SELECT CONCAT('/dashboard/dead-letters/', MIN(id)) FROM queue_dead_letter"
                + " WHERE topic = 'mail.send'"));
    paths.add("/dashboard/messages?topic=none");
    paths.add(missing());
    return paths;
  }

  /** Leads to a page that tells what was done; what topics there are is kept for a while. */
  private void press(String button) {
    Await.that(
        button + " is there",
        SOON,
        () -> {
          browser.go(url("/dashboard/topics"));
          return !browser.all("#" + button).isEmpty();
        });
    browser.one("#" + button).click();
    browser.see("Topic held ");
  }

  /** Adds to {@code seen} which of {@link #TEXTS} the page has. */
  private void assertContrast(String scheme, Set<String> seen) {
    Map<?, ?> found = (Map<?, ?>) Objects.requireNonNull(browser.script(CONTRAST, TEXTS));
    assertThat((List<?>) found.get("faint"))
        .as("%s in %s", browser.driver().getCurrentUrl(), scheme)
        .isEmpty();
    ((List<?>) Objects.requireNonNull(found.get("seen"))).forEach(one -> seen.add((String) one));
  }
}
