package io.rowqueue.proof.model;

import io.rowqueue.claim.Claim;

/** A claim that somebody was given, whether it is still good or not. */
record Held(Claim claim) {

  long id() {
    return claim.id().value();
  }

  int number() {
    return claim.number();
  }

  String lockId() {
    return claim.lockId().value();
  }
}
