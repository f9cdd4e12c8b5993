package io.rowqueue.operate;

import io.rowqueue.MessageId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chain as it was read; a chain that has ended no longer exists.
 *
 * @param id the chain
 * @param name its name; null if it has none
 * @param batch of which it is a member; null if there is none
 * @param message its current message, whose state shows what the chain waits for
 * @param topics the topics of the remaining steps, in their order
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
