package io.rowqueue.proof.model;

/** A row of {@code queue_worker}. */
record WorkerRow(String lockId, boolean alive, boolean draining, long leaseUntil) {

  WorkerRow dead() {
    return new WorkerRow(lockId, false, draining, leaseUntil);
  }

  WorkerRow drained() {
    return new WorkerRow(lockId, alive, true, leaseUntil);
  }

  WorkerRow until(long lease) {
    return new WorkerRow(lockId, alive, draining, lease);
  }

  String line() {
    return "%s %s%s until %s"
        .formatted(
            lockId, alive ? "alive" : "dead", draining ? " draining" : "", Times.text(leaseUntil));
  }
}
