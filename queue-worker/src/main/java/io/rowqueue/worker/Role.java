package io.rowqueue.worker;

import java.util.Locale;

/** What an account is for. An account may have several roles. */
public enum Role {
  /** Enqueues. */
  PRODUCER,
  /** Wakes idle workers, with another account than theirs. */
  RING,
  /** Publishes; a producer besides. */
  PUBLISH,
  /** Changes subscriptions. */
  SUBSCRIBE,
  /** Sets schedules. */
  SCHEDULE,
  /** Enqueues messages under deduplication keys. */
  DEDUPLICATION,
  /** Enqueues messages with ordering keys. */
  ORDER,
  /** Enqueues batches and chains. */
  BATCH,
  /** Asks which topics are overfull. */
  ROOM,
  /** Awaits what handlers give back. */
  AWAIT,
  /** Runs handlers. */
  WORKER,
  /** Looks at the queue and changes what is in it. */
  OPERATOR,
  /** Partitions the archive by day, and tends the days. */
  PARTITION,
  /** Looks which keys still have something to open; an operator besides. */
  KEYS,
  /** Creates and alters the tables. */
  MIGRATOR;

  /** The name as the command line takes it, such as {@code producer}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
