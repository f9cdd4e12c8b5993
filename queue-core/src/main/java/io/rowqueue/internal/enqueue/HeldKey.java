package io.rowqueue.internal.enqueue;

import io.rowqueue.Deduplication;
import io.rowqueue.internal.claim.MessageState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a key's row holds, as a look without locks finds it.
 *
 * @param messageId the message that it names; null if none
 * @param state that message's; null if it is in no queue, or the look's snapshot is older than it
 * @param windowOpen whether its window has not ended
 */
record HeldKey(@Nullable Long messageId, @Nullable Byte state, boolean windowOpen) {

  /** What a key without a row holds. */
  static final HeldKey NOTHING = new HeldKey(null, null, false);

  /**
   * Whether {@code rule} may find the key held; of what waits, a write has to confirm it.
   *
   * @param before what an earlier look found. A message that the key names only since then may be
   *     unknown to the caller's snapshot, and counts as one that lives
   */
  boolean holds(Deduplication rule, HeldKey before) {
    if (messageId == null) {
      return false;
    }
    boolean moved = !Objects.equals(messageId, before.messageId);
    return switch (rule.scope()) {
      case WINDOW -> windowOpen;
      case ALIVE -> moved || state != null;
      case WAITING -> moved || (state != null && MessageState.WAITING.contains(state));
    };
  }
}
