package io.rowqueue.internal.claim;

import org.jooq.Field;
import org.jooq.impl.DSL;

/** The state of a message that waits again. */
public final class ReleasedState {

  private ReleasedState() {}

  /** That of one that is due now; with an ordering key it has to be admitted. */
  public static Field<Byte> of(Field<String> orderingKey) {
    return DSL.when(orderingKey.isNull(), DSL.inline(MessageState.AVAILABLE))
        .otherwise(DSL.inline(MessageState.ARRIVING));
  }
}
