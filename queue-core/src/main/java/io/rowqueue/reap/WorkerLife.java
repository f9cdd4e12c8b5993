package io.rowqueue.reap;

import io.rowqueue.claim.LockId;
import io.rowqueue.message.Topic;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One life of a worker, as its row tells operators and peers.
 *
 * @param lockId its identity
 * @param host the machine's name
 * @param pid the process
 * @param version RowQueue's version
 * @param topics what it claims
 * @param server where its lock is held; null if it has none, and only its lease tells of its life
 */
public record WorkerLife(
    LockId lockId,
    String host,
    long pid,
    String version,
    Set<Topic> topics,
    @Nullable ServerMark server) {

  /** Copies the topics. */
  public WorkerLife {
    topics = Set.copyOf(topics);
  }
}
