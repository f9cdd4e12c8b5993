package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** A dashboard in a real browser; skipped, and said so, where there is no Chromium. */
@Tag("full")
abstract class InBrowser {

  static final Duration SOON = Duration.ofSeconds(30);

  final QueueDatabase database;
  Scene scene;
  Browser browser;

  InBrowser(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void open() {
    if (!Browser.isThere()) {
      System.err.println("#### NOT TESTED: THE DASHBOARD IN A BROWSER, FOR WANT OF CHROMIUM ####");
    }
    Assumptions.assumeTrue(Browser.isThere(), "no Chromium, or no driver for it");
    scene = Scene.open(database);
    browser = Browser.open(1280, 900);
  }

  @AfterEach
  void close() {
    if (browser != null) {
      browser.close();
    }
    if (scene != null) {
      scene.close();
    }
  }

  final String url(String path) {
    return "http://127.0.0.1:" + scene.port() + path;
  }

  final long dead() {
    return database.count("SELECT COUNT(*) FROM queue_dead_letter");
  }

  /** Every page of the menu, and that of each message and dead letter. */
  final List<String> paths() {
    List<String> paths = new ArrayList<>(SecurityOfDashboardIT.PATHS);
    paths.addAll(
        database.strings(
            "SELECT CONCAT('/dashboard/messages/', id) FROM queue_message ORDER BY id"));
    paths.addAll(
        database.strings(
            "SELECT CONCAT('/dashboard/dead-letters/', id) FROM queue_dead_letter ORDER BY id"));
    return paths;
  }
}
