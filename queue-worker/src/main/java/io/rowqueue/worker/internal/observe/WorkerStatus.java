package io.rowqueue.worker.internal.observe;

import java.time.Duration;
import java.util.List;

/**
 * A worker not declared dead.
 *
 * @param lockId its name in claims
 * @param host its host
 * @param pid its process id
 * @param version its RowQueue version
 * @param leaseLeft time until its lease expires; negative if it has, so that its claims may be
 *     reaped
 * @param topics the topics that it claims
 */
public record WorkerStatus(
    String lockId, String host, long pid, String version, Duration leaseLeft, List<String> topics) {

  /** Copies the topics. */
  public WorkerStatus {
    topics = List.copyOf(topics);
  }
}
