package io.rowqueue.internal.reap;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import java.util.Set;

/**
 * One run of a worker, as its row shows it to operators and peers.
 *
 * @param lockId its identity
 * @param host the machine's name
 * @param pid the process
 * @param version RowQueue's version
 * @param topics what it claims
 * @param address how peers and notifications reach it
 */
public record WorkerRegistration(
    LockId lockId,
    String host,
    long pid,
    String version,
    Set<Topic> topics,
    WorkerAddress address) {

  /** Copies the topics. */
  public WorkerRegistration {
    topics = Set.copyOf(topics);
  }
}
