package io.rowqueue.testkit.internal.contract;

/**
 * A queue's features beyond the life of a message. Each has its own contract; a queue without the
 * feature rejects its use with an error.
 */
public enum Feature {
  /** Topics whose ordering keys skip dead letters. */
  SET_ASIDE(SkipDeadLetterContract.class),
  /** Limits of topics and ordering keys: concurrency and rate. */
  LIMITS(LimitContract.class),
  /** Batches and their completion. */
  BATCHES(BatchContract.class),
  /** Chains of messages. */
  CHAINS(ChainContract.class),
  /** Schedules. */
  SCHEDULES(ScheduleContract.class),
  /** Publish/subscribe. */
  FAN_OUT(FanOutContract.class),
  /** Results of handlers. */
  RESULTS(ResultContract.class),
  /** Back-pressure: limits of topics, and producers that observe them. */
  DEPTH(DepthContract.class),
  /** Payloads stored separately from their messages' rows. */
  BODIES(BodyContract.class),
  /** Topic aliases. */
  FORMER_NAMES(FormerNameContract.class);

  private final Class<?> contract;

  Feature(Class<?> contract) {
    this.contract = contract;
  }

  /** Returns the contract of the feature. */
  public Class<?> contract() {
    return contract;
  }
}
