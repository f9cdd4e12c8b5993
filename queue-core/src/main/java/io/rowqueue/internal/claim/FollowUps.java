package io.rowqueue.internal.claim;

import io.rowqueue.BatchSettings;
import io.rowqueue.NewMessage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a handler wants enqueued by the ack of its message. Payloads are encoded already.
 *
 * @param members to be added to its message's batch
 * @param carried headers for the next step of its message's chain
 */
public record FollowUps(List<NewMembers> members, Map<String, String> carried) {

  /** What most handlers want. */
  public static final FollowUps NOTHING = new FollowUps(List.of(), Map.of());

  /** Copies both. */
  public FollowUps {
    members = List.copyOf(members);
    carried = Map.copyOf(carried);
  }

  /**
   * Messages that are added together.
   *
   * @param nested the batch that is made of them, and is itself the member; null if they are
   * @param messages in their order
   */
  public record NewMembers(@Nullable BatchSettings nested, List<NewMessage> messages) {

    /** Copies the messages. */
    public NewMembers {
      messages = List.copyOf(messages);
    }
  }
}
