package io.rowqueue.example.sweep;

import io.rowqueue.Jooq;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import org.jooq.DSLContext;

/**
 * Which run is due: the one number that keeps the sweeps in one chain. Confined to one transaction.
 */
public final class SweepChain {

  private final DSLContext transaction;

  SweepChain(DSLContext transaction) {
    this.transaction = transaction;
  }

  /**
   * Enqueues a sweep for the run that is due. At every start of an application, if you like: a
   * chain that lives makes this run earlier and goes on as one chain; a dead one lives again.
   *
   * @throws IllegalStateException if the shop's tables have no row for the sweep
   */
  public static void start(DSLContext transaction, MessageProducer producer) {
    Long due =
        transaction
            .resultQuery("SELECT generation FROM shop_sweep WHERE topic = ?", SweepOrders.TOPIC)
            .fetchOne(0, Long.class);
    if (due == null) {
      throw new IllegalStateException("shop_sweep has no row for " + SweepOrders.TOPIC);
    }
    NewMessage sweep = NewMessage.of(SweepOrders.TOPIC, new SweepOrders(due));
    Jooq.inTransaction(transaction, connection -> producer.enqueue(connection, sweep));
  }

  /**
   * Makes {@code generation} + 1 the run that is due, if {@code generation} was. Of two that try
   * with one number, the second waits for the first to commit and then finds another number.
   */
  boolean advance(long generation) {
    return transaction.execute(
            "UPDATE shop_sweep SET generation = generation + 1 WHERE topic = ? AND generation = ?",
            SweepOrders.TOPIC,
            generation)
        == 1;
  }
}
