package io.rowqueue.worker;

import java.util.Locale;

/** What a database account is for. An account may have several roles. */
public enum Role {
  /** Enqueues and publishes. */
  PRODUCER,
  /** Replaces the content of waiting messages; in addition to {@link #PRODUCER}. */
  PRODUCER_REPLACING,
  /** Wakes idle workers from another account than theirs. */
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
