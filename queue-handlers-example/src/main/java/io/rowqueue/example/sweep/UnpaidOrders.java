package io.rowqueue.example.sweep;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** The orders that nobody has paid, and which run holds them. Confined to one transaction. */
final class UnpaidOrders {

  private final DSLContext transaction;

  UnpaidOrders(DSLContext transaction) {
    this.transaction = transaction;
  }

  /** Takes the oldest orders that are free and were not paid in time; how many. */
  int take(long sweepId, SweepConfig config) {
    return transaction.execute(
        "UPDATE shop_order SET sweep_id = ?, sweep_started = UTC_TIMESTAMP(6)"
            + " WHERE state = 'CONFIRMED' AND sweep_id = 0"
            + " AND placed_at < UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND"
            + " ORDER BY placed_at LIMIT ?",
        sweepId,
        micros(config.payWithin()),
        config.limit());
  }

  /** What {@code sweepId} holds, in the order of the ids. */
  List<String> takenBy(long sweepId) {
    return transaction
        .resultQuery(
            "SELECT id FROM shop_order WHERE state = 'CONFIRMED' AND sweep_id = ? ORDER BY id",
            sweepId)
        .fetch(0, String.class);
  }

  /**
   * Frees orders of runs that have died; how many. Looks without locks first and then locks by
   * primary key, as whoever settles an order does: a locking look by the other key would meet them
   * in the opposite order, and deadlock.
   */
  int freeDead(SweepConfig config) {
    long age = micros(config.deadAfter());
    List<String> dead =
        transaction
            .resultQuery(
                "SELECT id FROM shop_order WHERE state = 'CONFIRMED' AND sweep_id > 0"
                    + " AND sweep_started < UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND LIMIT ?",
                age,
                config.limit())
            .fetch(0, String.class);
    if (dead.isEmpty()) {
      return 0;
    }
    return transaction.execute(
        "UPDATE shop_order FORCE INDEX (PRIMARY) SET sweep_id = 0, sweep_started = NULL"
            + " WHERE id IN ({0}) AND state = 'CONFIRMED' AND sweep_id > 0"
            + " AND sweep_started < UTC_TIMESTAMP(6) - INTERVAL {1} MICROSECOND",
        DSL.list(dead.stream().sorted().map(DSL::val).toList()), DSL.val(age));
  }

  /** Writes the state in which {@code order} ends; false if its run no longer holds it. */
  boolean settle(UnpaidOrder order, String state) {
    return transaction.execute(
            "UPDATE shop_order SET state = ?"
                + " WHERE id = ? AND sweep_id = ? AND state = 'CONFIRMED'",
            state,
            order.orderId(),
            order.sweepId())
        == 1;
  }

  private static long micros(Duration length) {
    return TimeUnit.MICROSECONDS.convert(length);
  }
}
