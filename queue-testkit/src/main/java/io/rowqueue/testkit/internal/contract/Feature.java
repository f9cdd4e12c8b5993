package io.rowqueue.testkit.internal.contract;

/**
 * What a queue may have beyond the life of a message. Each has a contract of its own, and a queue
 * that lacks one refuses it in words.
 */
public enum Feature {
  /** Topics whose lines step over dead letters. */
  SET_ASIDE(SetAsideContract.class),
  /** Limits of topics and of ordering keys, at once and per second. */
  LIMITS(LimitContract.class),
  /** Batches and their completion. */
  BATCHES(BatchContract.class),
  /** Messages one behind another. */
  CHAINS(ChainContract.class),
  /** What comes by the clock. */
  SCHEDULES(ScheduleContract.class),
  /** Subscriptions, and what is published to them. */
  FAN_OUT(FanOutContract.class),
  /** What handlers give back. */
  RESULTS(ResultContract.class),
  /** Topics that are overfull, and producers that heed it. */
  DEPTH(DepthContract.class),
  /** Payloads beside their messages' rows. */
  BODIES(BodyContract.class),
  /** Topics that have got another name. */
  FORMER_NAMES(FormerNameContract.class);

  private final Class<?> contract;

  Feature(Class<?> contract) {
    this.contract = contract;
  }

  /** What a queue that has it passes. */
  public Class<?> contract() {
    return contract;
  }
}
