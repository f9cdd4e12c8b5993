package io.rowqueue.internal.claim;

import io.rowqueue.BatchSettings;
import io.rowqueue.NewMessage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a handler enqueues with the ack of its message. Payloads are already encoded.
 *
 * @param members to be added to its message's batch
 * @param carried headers for the next step of its message's chain
 */
public record FollowUps(List<NewMembers> members, Map<String, String> carried) {

  /** For handlers that enqueue nothing. */
  public static final FollowUps NOTHING = new FollowUps(List.of(), Map.of());

  /** Copies both. */
  public FollowUps {
    members = List.copyOf(members);
    carried = Map.copyOf(carried);
  }

  /**
   * Messages that are added together.
   *
   * @param nested the nested batch that they form and that is the member; null if the messages
   *     themselves are the members
   * @param messages in their order
   */
  public record NewMembers(@Nullable BatchSettings nested, List<NewMessage> messages) {

    /** Copies the messages. */
    public NewMembers {
      messages = List.copyOf(messages);
    }
  }
}
