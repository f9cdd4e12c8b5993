package io.rowqueue.worker.internal.dashboard;

import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** What operators type to begin changes that go on for a while. */
final class LargeChanges {

  private static final String BEGUN = "This page shows its progress";

  private LargeChanges() {}

  /** Takes all of {@code topic} out, and gives its name as the page asks. */
  static void purge(Browser browser, String base, String topic) {
    browser.go(base + "/topics/purge?topic=" + topic);
    browser.one("#sure").sendKeys(topic, Keys.ENTER);
    browser.see(BEGUN);
  }

  /** Redrives the dead letters of {@code topic}. */
  static void redriveAll(Browser browser, String base, String topic, int aSecond) {
    WebElement rate = browser.go(base + "/dead-letters/all?topic=" + topic).one("#rate");
    rate.clear();
    rate.sendKeys(Integer.toString(aSecond), Keys.ENTER);
    browser.see(BEGUN);
  }
}
