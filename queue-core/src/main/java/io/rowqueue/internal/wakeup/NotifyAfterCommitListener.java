package io.rowqueue.internal.wakeup;

import io.rowqueue.WorkerNotifier;
import org.jooq.Configuration;
import org.jooq.TransactionContext;
import org.jooq.TransactionListener;
import org.jspecify.annotations.Nullable;

/**
 * Notifies workers after jOOQ's commits. A nested transaction has a copy of the outer one's
 * configuration, and with it the outer one's {@link AfterCommit}. Stateless and thread-safe.
 */
public final class NotifyAfterCommitListener implements TransactionListener {

  private final WorkerNotifier notifier;

  public NotifyAfterCommitListener(WorkerNotifier notifier) {
    this.notifier = notifier;
  }

  @Override
  public void beginEnd(TransactionContext context) {
    Configuration configuration = context.configuration();
    AfterCommit outer = AfterCommit.of(configuration);
    if (outer == null) {
      new AfterCommit(notifier).attach(configuration);
    } else {
      outer.enter();
    }
  }

  @Override
  public void commitEnd(TransactionContext context) {
    @Nullable AfterCommit pending = AfterCommit.of(context.configuration());
    if (pending != null && pending.leave()) {
      pending.committed();
    }
  }

  @Override
  public void rollbackEnd(TransactionContext context) {
    @Nullable AfterCommit pending = AfterCommit.of(context.configuration());
    if (pending != null) {
      pending.leave();
    }
  }
}
