package io.rowqueue.internal.claim;

import java.util.List;

/** The values of the {@code state} column. */
public final class MessageState {

  /** May be claimed. */
  public static final byte AVAILABLE = 0;

  /** Claimed by the worker that {@code lock_id} identifies. */
  public static final byte CLAIMED = 1;

  /** Waits until {@code due_at}. */
  public static final byte SCHEDULED = 2;

  /** Waits behind other messages of its ordering key. */
  public static final byte BLOCKED = 3;

  /** Has an ordering key and is not admitted yet. */
  public static final byte ARRIVING = 4;

  /** Every state. */
  public static final List<Byte> ALL = List.of(AVAILABLE, CLAIMED, SCHEDULED, BLOCKED, ARRIVING);

  /** Every state in which a message waits in the queue and is not claimed. */
  public static final List<Byte> WAITING = List.of(AVAILABLE, SCHEDULED, BLOCKED, ARRIVING);

  private MessageState() {}
}
