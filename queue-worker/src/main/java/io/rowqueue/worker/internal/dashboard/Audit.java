package io.rowqueue.worker.internal.dashboard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down every change that somebody makes: who, what, on what, and what came of it, one line
 * each, to a log of its own name, so that it can be sent elsewhere.
 */
final class Audit {

  private static final Logger LOG = LoggerFactory.getLogger("io.rowqueue.audit");

  private static final int SHORT = 500;

  /** All ids of a page, however long they are. */
  private static final int LONG = 5_000;

  private Audit() {}

  /** Something was done, or tried. */
  static void write(Actor who, String did, String on, String result) {
    LOG.info(
        "who=\"{}\" from={} did=\"{}\" on=\"{}\" result=\"{}\"",
        quoted(who.name(), SHORT),
        who.address(),
        quoted(did, SHORT),
        quoted(on, LONG),
        quoted(result, SHORT));
  }

  /** Nothing that somebody wrote begins a second line, or ends its quotes. */
  private static String quoted(String text, int most) {
    return Texts.firstGroup(text.replace('\n', ' '), most)
        .replace("\\", "\\\\")
        .replace("\"", "\\\"");
  }
}
