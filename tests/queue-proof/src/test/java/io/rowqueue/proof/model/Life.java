package io.rowqueue.proof.model;

import io.rowqueue.claim.LockId;
import java.util.ArrayList;
import java.util.List;

/** One life of a worker, as its own process knows it: how it claims, and which claims it has. */
final class Life {

  final LockId lockId;
  final Way way;

  /** Claims that nobody handles yet. */
  final List<Held> waiting = new ArrayList<>();

  Life(LockId lockId, Way way) {
    this.lockId = lockId;
    this.way = way;
  }

  @Override
  public String toString() {
    return lockId.value();
  }
}
