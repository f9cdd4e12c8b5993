package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Workers;

public final class JooqWorkers implements Workers {

  private final Transactions transactions;

  public JooqWorkers(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Does not change {@code updated_at}: it is the time of the worker's last renewal. */
  @Override
  public void drain(String lockId) {
    int rows =
        transactions.run(
            Transition.DRAIN,
            tx ->
                tx.dsl()
                    .update(QUEUE_WORKER)
                    .set(QUEUE_WORKER.DRAINING, (byte) 1)
                    .where(QUEUE_WORKER.LOCK_ID.eq(lockId))
                    .and(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
                    .execute());
    if (rows == 0) {
      throw new RefusedException("no worker '" + lockId + "' is alive; nothing was drained");
    }
  }
}
