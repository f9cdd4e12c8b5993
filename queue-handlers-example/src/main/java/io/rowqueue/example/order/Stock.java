package io.rowqueue.example.order;

import io.rowqueue.counter.ShardedCounter;
import io.rowqueue.counter.UnknownCounterException;
import org.jooq.DSLContext;

/**
 * The stock of an article: a counter, so that many orders of one article do not wait for one row.
 * Never below zero. Confined to one transaction.
 */
public final class Stock {

  private static final String PREFIX = "stock/";
  private static final ShardedCounter COUNTER = ShardedCounter.create();

  private final DSLContext transaction;

  /** In {@code transaction}, which the caller ends. */
  public Stock(DSLContext transaction) {
    this.transaction = transaction;
  }

  /**
   * Takes {@code quantity} of {@code sku}; false, and nothing taken, if there are fewer, or if the
   * shop has no such article.
   */
  public boolean take(String sku, int quantity) {
    try {
      return COUNTER.take(transaction, PREFIX + sku, quantity);
    } catch (UnknownCounterException e) {
      return false;
    }
  }

  /** Adds {@code quantity} to an article of the shop's, or to a new one. */
  public void add(String sku, int quantity) {
    COUNTER.make(transaction, PREFIX + sku, ShardedCounter.SLOTS);
    COUNTER.add(transaction, PREFIX + sku, quantity);
  }

  /**
   * Gives back what {@link #take} took.
   *
   * @throws UnknownCounterException if the shop has no such article any more
   */
  public void release(String sku, int quantity) {
    COUNTER.add(transaction, PREFIX + sku, quantity);
  }
}
