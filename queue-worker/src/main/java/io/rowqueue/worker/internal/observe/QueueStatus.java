package io.rowqueue.worker.internal.observe;

import java.time.Instant;
import java.util.List;

/**
 * A consistent snapshot of a queue.
 *
 * @param at its time, by the database's clock
 * @param topics every topic with a message, a dead letter or a worker, by name
 * @param workers every worker not declared dead, by lock_id
 */
public record QueueStatus(Instant at, List<TopicStatus> topics, List<ListedWorker> workers) {

  /** Copies both lists. */
  public QueueStatus {
    topics = List.copyOf(topics);
    workers = List.copyOf(workers);
  }
}
