package io.rowqueue.testkit.contract;

/**
 * What a queue may have beyond the life of a message. Each has a contract of its own, and a queue
 * that lacks one refuses it in words.
 */
public enum Feature {
  /** Topics whose lines step over dead letters. */
  SET_ASIDE(SetAsideContract.class),
  /** What comes by the clock. */
  SCHEDULES(ScheduleContract.class),
  /** Subscriptions, and what is published to them. */
  FAN_OUT(FanOutContract.class);

  private final Class<?> contract;

  Feature(Class<?> contract) {
    this.contract = contract;
  }

  /** What a queue that has it passes. */
  public Class<?> contract() {
    return contract;
  }
}
