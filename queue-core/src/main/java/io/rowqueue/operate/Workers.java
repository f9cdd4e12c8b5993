package io.rowqueue.operate;

/** Workers anywhere, from anywhere. Thread-safe. */
public interface Workers {

  /**
   * Asks a worker to drain as on SIGTERM and to end: it claims no more, lets what runs finish, and
   * gives the rest back. It notices within about a second. Idempotent.
   *
   * @param lockId the worker's lock_id, as the status shows it
   * @throws RefusedException if no worker of that lock_id is alive
   * @throws io.rowqueue.QueueException if the database fails after every repetition
   */
  void drain(String lockId);
}
