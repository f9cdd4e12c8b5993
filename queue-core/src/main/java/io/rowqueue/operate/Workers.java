package io.rowqueue.operate;

/** Remote control of workers. Thread-safe. */
public interface Workers {

  /**
   * Requests a worker to drain and stop, like SIGTERM: it claims no more messages, lets running
   * handlers finish, and releases the rest. It takes about a second until the worker sees the
   * request. Idempotent.
   *
   * @param lockId the worker's lock_id, as shown in the status
   * @throws RefusedException if no worker with that lock_id is alive
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  void drain(String lockId);

  /**
   * Pauses a worker: it claims no more messages until {@link #resume}, and its running handlers
   * finish. It lives on, with its lease and its place in the status. It takes about a second until
   * the worker sees the request. Lasts until the worker ends or registers again. Idempotent.
   *
   * @param lockId the worker's lock_id, as shown in the status
   * @throws RefusedException if no worker with that lock_id is alive
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  void pause(String lockId);

  /**
   * Resumes a worker that was paused. Idempotent.
   *
   * @param lockId the worker's lock_id, as shown in the status
   * @throws RefusedException if no worker with that lock_id is alive
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  void resume(String lockId);
}
