package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.internal.operate.JooqAudit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records every change that an operator makes (user, action, target and result): one line of a
 * logger of its own, so that it can be routed separately, and one row of the audit table.
 */
final class Audit {

  private static final Logger LOG = LoggerFactory.getLogger("io.rowqueue.audit");

  private static final int SHORT = 500;

  /** Long enough for all ids of a page. */
  private static final int LONG = 5_000;

  private Audit() {}

  /** Records an action, whether it succeeded or not. */
  static void write(Actor who, String did, String on, String result) {
    String queue = who.table() == null ? null : who.table().queue();
    LOG.info(
        "who=\"{}\" from={} did=\"{}\" on=\"{}\" result=\"{}\"{}",
        quoted(who.name(), SHORT),
        who.address(),
        quoted(did, SHORT),
        quoted(on, LONG),
        quoted(result, SHORT),
        queue == null ? "" : " queue=\"" + quoted(queue, SHORT) + "\"");
    if (who.table() != null) {
      who.table().write(new JooqAudit.Entry(who.name(), who.address(), did, on, result));
    }
  }

  /** Escapes user input, so that it can neither start a second line nor end its quotes. */
  private static String quoted(String text, int most) {
    return Texts.firstLine(text.replace('\n', ' '), most)
        .replace("\\", "\\\\")
        .replace("\"", "\\\"");
  }
}
