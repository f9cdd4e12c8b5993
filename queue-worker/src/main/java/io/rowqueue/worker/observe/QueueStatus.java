package io.rowqueue.worker.observe;

import io.rowqueue.database.Transactions;
import java.util.List;

/**
 * The state of a queue at one moment. Read without locks, so the parts may be a moment apart.
 *
 * @param topics every topic that has a message or a dead letter, by name
 * @param workers every worker that is alive, by lock_id
 */
public record QueueStatus(List<TopicStatus> topics, List<WorkerStatus> workers) {

  /** Copies both lists. */
  public QueueStatus {
    topics = List.copyOf(topics);
    workers = List.copyOf(workers);
  }

  /** Reads the status now. */
  public static QueueStatus read(Transactions transactions) {
    return new JooqQueueStatus(transactions).read();
  }

  /**
   * One topic.
   *
   * @param topic its name
   * @param available messages that may be claimed
   * @param scheduled messages that wait for their time
   * @param inFlight messages that are claimed
   * @param dead dead letters
   * @param oldestSeconds how long the oldest available message has been due; 0 if there is none
   */
  public record TopicStatus(
      String topic, long available, long scheduled, long inFlight, long dead, long oldestSeconds) {}

  /**
   * One worker.
   *
   * @param lockId its identity
   * @param host its machine
   * @param pid its process
   * @param leaseSeconds until its lease runs out; negative if it has
   * @param topics what it claims
   */
  public record WorkerStatus(
      String lockId, String host, long pid, long leaseSeconds, List<String> topics) {

    /** Copies the topics. */
    public WorkerStatus {
      topics = List.copyOf(topics);
    }
  }
}
