package io.rowqueue.worker;

import java.util.Locale;

/** The purpose of a database account. An account may have several roles. */
public enum Role {
  /** Enqueues and publishes. */
  PRODUCER,
  /** Replaces the content of waiting messages, in addition to {@link #PRODUCER}. */
  PRODUCER_REPLACING,
  /** Wakes idle workers that use another account. */
  NOTIFIER,
  /** Awaits results. */
  RESULT_READER,
  /** Sets schedules and subscriptions. */
  CONFIGURATOR,
  /** Runs handlers. */
  WORKER,
  /** Reads and changes the queue by commands and the dashboard. */
  OPERATOR,
  /** Creates and alters the tables. */
  MIGRATOR;

  /** The name on the command line, such as {@code result-reader}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
