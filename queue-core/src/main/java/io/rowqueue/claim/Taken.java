package io.rowqueue.claim;

/**
 * A message in the hands of a claim that has not committed.
 *
 * @param claim what it becomes
 * @param priority of the message
 */
record Taken(Claim claim, byte priority) {

  long id() {
    return claim.id().value();
  }
}
