package io.rowqueue.worker.internal.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells logback what to do, before the first logger exists. The daemon's log is its output; a
 * one-shot command's output is its result, so it logs to standard error.
 */
final class LogOutput {

  private static final String CONFIGURATION = "logback.configurationFile";

  private LogOutput() {}

  static void set(@Nullable Level level, @Nullable Format format, boolean daemon) {
    if (System.getProperty(CONFIGURATION) == null) {
      Format chosen = format == null ? Format.TEXT : format;
      System.setProperty(CONFIGURATION, chosen.configuration);
    }
    Level least = level != null ? level : daemon ? Level.INFO : Level.WARN;
    System.setProperty("ROWQUEUE_LOG_LEVEL", least.name());
    System.setProperty("ROWQUEUE_LOG_TARGET", daemon ? "System.out" : "System.err");
  }

  /** The levels that can be asked for. */
  enum Level {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
  }

  /** How a log line looks. */
  enum Format {
    /** For people. */
    TEXT("logback.xml"),
    /** A JSON object each, for programs. */
    JSON("logback-json.xml");

    private final String configuration;

    Format(String file) {
      this.configuration = "io/rowqueue/worker/internal/cli/" + file;
    }

    /** As it is written. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
