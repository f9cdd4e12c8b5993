package io.rowqueue.worker.internal.observe;

import java.time.Duration;
import java.util.List;

/**
 * One worker that nobody has declared dead.
 *
 * @param lockId the name under which it claims
 * @param host where it runs
 * @param pid its process there
 * @param version the RowQueue that it runs
 * @param leaseLeft until its lease runs out; negative if it has, and others may reap its claims
 * @param topics what it claims
 */
public record WorkerStatus(
    String lockId, String host, long pid, String version, Duration leaseLeft, List<String> topics) {

  /** Copies the topics. */
  public WorkerStatus {
    topics = List.copyOf(topics);
  }
}
