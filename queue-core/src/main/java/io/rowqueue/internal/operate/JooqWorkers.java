package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Workers;
import org.jooq.Field;

public final class JooqWorkers implements Workers {

  private final Transactions transactions;

  public JooqWorkers(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public void drain(String lockId) {
    set(Transition.DRAIN, lockId, QUEUE_WORKER.DRAINING, 1);
  }

  @Override
  public void pause(String lockId) {
    set(Transition.PAUSE, lockId, QUEUE_WORKER.PAUSED, 1);
  }

  @Override
  public void resume(String lockId) {
    set(Transition.RESUME, lockId, QUEUE_WORKER.PAUSED, 0);
  }

  /** Does not change {@code updated_at}: it is the time of the worker's last renewal. */
  private void set(Transition transition, String lockId, Field<Byte> request, int value) {
    int rows =
        transactions.run(
            transition,
            tx ->
                tx.dsl()
                    .update(QUEUE_WORKER)
                    .set(request, (byte) value)
                    .where(QUEUE_WORKER.LOCK_ID.eq(lockId))
                    .and(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
                    .execute());
    if (rows == 0) {
      throw new RefusedException("no worker '" + lockId + "' is alive; nothing was changed");
    }
  }
}
