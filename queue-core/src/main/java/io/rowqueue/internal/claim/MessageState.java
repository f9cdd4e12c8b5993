package io.rowqueue.internal.claim;

import java.util.List;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** The values of the {@code state} column. */
public final class MessageState {

  /** May be claimed. */
  public static final byte AVAILABLE = 0;

  /** Belongs to the worker that {@code lock_id} names. */
  public static final byte CLAIMED = 1;

  /** Waits until {@code due_at}. */
  public static final byte SCHEDULED = 2;

  /** Waits in the line of its ordering key, behind others. */
  public static final byte BLOCKED = 3;

  /** Has an ordering key, and no worker has seen it yet. */
  public static final byte ARRIVING = 4;

  /** Every state in which a message waits: in the queue, and nobody's. */
  public static final List<Byte> WAITING = List.of(AVAILABLE, SCHEDULED, BLOCKED, ARRIVING);

  /** The state of a message that is due now and waits: with an ordering key, it joins its line. */
  public static Field<Byte> back(Field<String> orderingKey) {
    return DSL.when(orderingKey.isNull(), DSL.inline(AVAILABLE)).otherwise(DSL.inline(ARRIVING));
  }

  private MessageState() {}
}
