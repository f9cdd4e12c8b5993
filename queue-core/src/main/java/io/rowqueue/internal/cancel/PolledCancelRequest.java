package io.rowqueue.internal.cancel;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.ClaimKey;
import org.jspecify.annotations.Nullable;

/**
 * A wish as a worker read it.
 *
 * @param id the message
 * @param state where the message was
 * @param claims its claim number, where the worker had claimed it
 * @param by who asks
 */
public record PolledCancelRequest(MessageId id, State state, int claims, String by) {

  /** Where the message was. */
  public enum State {
    /** The worker that read it holds it. */
    MINE,
    /** Nobody holds it. */
    WAITS,
    /** It is in the queue no more. */
    GONE
  }

  /** The claim that the worker held; null if it held none. */
  public @Nullable ClaimKey claim() {
    return state == State.MINE ? new ClaimKey(id, claims) : null;
  }

  /**
   * Reads what the wishes' statement makes of it: the id, {@code gone}, {@code waits} or the claim
   * number, and who asks.
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
