package io.rowqueue.worker.dashboard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down every change that somebody makes: who, what, on what, and what came of it, one line
 * each, to a log of its own name, so that it can be sent elsewhere.
 */
final class Audit {

  private static final Logger LOG = LoggerFactory.getLogger("io.rowqueue.audit");

  private Audit() {}

  /** Something was done, or tried. */
  static void write(Who who, String did, String on, String result) {
    LOG.info(
        "who=\"{}\" from={} did={} on=\"{}\" result=\"{}\"",
        quoted(who.name()),
        who.address(),
        did,
        quoted(on),
        quoted(result));
  }

  /** Nothing that somebody wrote begins a second line, or ends its quotes. */
  private static String quoted(String text) {
    return Texts.firstLine(text.replace('\n', ' '), 500)
        .replace("\\", "\\\\")
        .replace("\"", "\\\"");
  }
}
