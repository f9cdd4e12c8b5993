package io.rowqueue.operate;

import io.rowqueue.MessageId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chain as it was looked at; one that has ended is gone.
 *
 * @param id the chain
 * @param name for people; null if it has none
 * @param batch of which it is a member; null if it is none's
 * @param message where it is now; look there for what keeps it
 * @param topics those of the steps to come, in their order
 * @param createdAt when it was enqueued, by the database's clock
 */
public record ChainDetails(
    long id,
    @Nullable String name,
    @Nullable Long batch,
    @Nullable MessageId message,
    List<String> topics,
    Instant createdAt) {

  /** Copies the topics. */
  public ChainDetails {
    topics = List.copyOf(topics);
  }
}
