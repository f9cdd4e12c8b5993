package io.rowqueue.internal.wakeup;

import io.rowqueue.Ring;
import org.jooq.Configuration;
import org.jooq.TransactionContext;
import org.jooq.TransactionListener;
import org.jspecify.annotations.Nullable;

/**
 * Rings after jOOQ's commits. A transaction inside another has a copy of the outer one's
 * configuration, and with it the outer one's {@link PendingRing}. Stateless and thread-safe.
 */
public final class RingingTransactions implements TransactionListener {

  private final Ring ring;

  public RingingTransactions(Ring ring) {
    this.ring = ring;
  }

  @Override
  public void beginEnd(TransactionContext context) {
    Configuration configuration = context.configuration();
    PendingRing outer = PendingRing.of(configuration);
    if (outer == null) {
      new PendingRing(ring).attach(configuration);
    } else {
      outer.enter();
    }
  }

  @Override
  public void commitEnd(TransactionContext context) {
    @Nullable PendingRing pending = PendingRing.of(context.configuration());
    if (pending != null && pending.leave()) {
      pending.committed();
    }
  }

  @Override
  public void rollbackEnd(TransactionContext context) {
    @Nullable PendingRing pending = PendingRing.of(context.configuration());
    if (pending != null) {
      pending.leave();
    }
  }
}
