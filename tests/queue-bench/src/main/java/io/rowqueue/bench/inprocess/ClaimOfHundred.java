package io.rowqueue.bench.inprocess;

/** {@link ClaimCost} of a hundred messages. */
public class ClaimOfHundred extends ClaimCost {

  /** For JMH. */
  public ClaimOfHundred() {
    super(100);
  }
}
