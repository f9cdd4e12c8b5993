package io.rowqueue.internal.result;

import static io.rowqueue.internal.table.Tables.QUEUE_RESULT_LISTENER;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.InsertedValue;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.time.Duration;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** The rows by which workers find processes that await results. Thread-safe. */
public final class ResultWaiters {

  private static final Duration LEASE = Duration.ofSeconds(60);

  private final Transactions transactions;

  public ResultWaiters(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Registers that {@code waiter} waits on {@code connection}, for one minute.
   *
   * @param server the server at the other end of the connection, as {@link
   *     io.rowqueue.internal.reap.ServerIncarnation} identifies it
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  public void register(String waiter, long connection, String server) {
    transactions.run(
        Transition.REGISTER_RESULT_LISTENER, tx -> write(tx.dsl(), waiter, connection, server));
  }

  private static int write(DSLContext dsl, String waiter, long connection, String server) {
    return dsl.insertInto(
            QUEUE_RESULT_LISTENER,
            QUEUE_RESULT_LISTENER.LISTENER,
            QUEUE_RESULT_LISTENER.LISTENER_CONNECTION,
            QUEUE_RESULT_LISTENER.SERVER_IDENTITY,
            QUEUE_RESULT_LISTENER.LEASE_UNTIL)
        .values(DSL.val(waiter), DSL.val(connection), DSL.val(server), DatabaseClock.after(LEASE))
        .onDuplicateKeyUpdate()
        .set(
            QUEUE_RESULT_LISTENER.LISTENER_CONNECTION,
            InsertedValue.of(QUEUE_RESULT_LISTENER.LISTENER_CONNECTION))
        .set(
            QUEUE_RESULT_LISTENER.SERVER_IDENTITY,
            InsertedValue.of(QUEUE_RESULT_LISTENER.SERVER_IDENTITY))
        .set(QUEUE_RESULT_LISTENER.LEASE_UNTIL, InsertedValue.of(QUEUE_RESULT_LISTENER.LEASE_UNTIL))
        .execute();
  }
}
