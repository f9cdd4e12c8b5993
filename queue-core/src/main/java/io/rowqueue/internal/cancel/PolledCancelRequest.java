package io.rowqueue.internal.cancel;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.ClaimKey;
import org.jspecify.annotations.Nullable;

/**
 * A cancellation request as read by a worker's poll.
 *
 * @param id the message
 * @param state the message's state
 * @param claims its claim number, if the worker had claimed it
 * @param by the requester
 */
public record PolledCancelRequest(MessageId id, State state, int claims, String by) {

  /** The state of the message. */
  public enum State {
    /** The worker that read the request has claimed it. */
    MINE,
    /** It is not claimed. */
    WAITS,
    /** It has left the queue. */
    GONE
  }

  /** The claim that the worker held; null if it held none. */
  public @Nullable ClaimKey claim() {
    return state == State.MINE ? new ClaimKey(id, claims) : null;
  }

  /**
   * Parses a row of the requests' query: the id, {@code gone}, {@code waits} or the claim number,
   * and the requester.
   */
  public static PolledCancelRequest of(String text) {
    String[] words = text.split(" ", 3);
    MessageId id = new MessageId(Long.parseLong(words[0]));
    return switch (words[1]) {
      case "gone" -> new PolledCancelRequest(id, State.GONE, 0, words[2]);
      case "waits" -> new PolledCancelRequest(id, State.WAITS, 0, words[2]);
      default -> new PolledCancelRequest(id, State.MINE, Integer.parseInt(words[1]), words[2]);
    };
  }
}
