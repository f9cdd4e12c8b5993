package io.rowqueue.worker.internal.cli;

import java.util.Locale;

/** How a log line looks. */
enum LogFormat {
  /** For people. */
  TEXT("logback.xml"),
  /** A JSON object each, for programs. */
  JSON("logback-json.xml");

  private final String configuration;

  LogFormat(String configuration) {
    this.configuration = configuration;
  }

  /** Where logback finds how. */
  String configuration() {
    return "io/rowqueue/worker/internal/cli/" + configuration;
  }

  /** As it is written. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
