package io.rowqueue.claim;

import java.util.List;

/** The values of the {@code state} column. */
public final class MessageState {

  /** May be claimed. */
  public static final byte AVAILABLE = 0;

  /** Belongs to the worker that {@code lock_id} names. */
  public static final byte CLAIMED = 1;

  /** Waits until {@code due_at}. */
  public static final byte SCHEDULED = 2;

  /** Every state in which a message waits: in the queue, and nobody's. */
  public static final List<Byte> WAITING = List.of(AVAILABLE, SCHEDULED);

  private MessageState() {}
}
