package io.rowqueue.internal.enqueue;

import io.rowqueue.Deduplication;
import io.rowqueue.internal.claim.MessageState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The content of a deduplication key's row, read without locks.
 *
 * @param messageId the message that the row names; null if none
 * @param state the state of that message; null if it is not in the queue, or newer than the
 *     snapshot of the read
 * @param windowOpen whether the key's window has not ended
 */
record HeldKey(@Nullable Long messageId, @Nullable Byte state, boolean windowOpen) {

  /** The content of a key without a row. */
  static final HeldKey NOTHING = new HeldKey(null, null, false);

  /**
   * Whether {@code rule} may treat the key as held. For a waiting message a write must confirm it.
   *
   * @param before the content at an earlier read. If the key names another message since then, the
   *     caller's snapshot may not contain that message, so it counts as alive
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
