package io.rowqueue.worker.internal.cli;

import org.jspecify.annotations.Nullable;

/**
 * Tells logback what to do, before the first logger exists. The daemon's log is its output; a
 * one-shot command's output is its result, so it logs to standard error.
 */
final class LogOutput {

  private static final String CONFIGURATION = "logback.configurationFile";

  private LogOutput() {}

  static void set(@Nullable LogLevel level, @Nullable LogFormat format, boolean daemon) {
    if (System.getProperty(CONFIGURATION) == null) {
      LogFormat chosen = format == null ? LogFormat.TEXT : format;
      System.setProperty(CONFIGURATION, chosen.configuration());
    }
    LogLevel least = level != null ? level : daemon ? LogLevel.INFO : LogLevel.WARN;
    System.setProperty("ROWQUEUE_LOG_LEVEL", least.name());
    System.setProperty("ROWQUEUE_LOG_TARGET", daemon ? "System.out" : "System.err");
  }
}
