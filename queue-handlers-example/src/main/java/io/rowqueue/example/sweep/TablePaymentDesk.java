package io.rowqueue.example.sweep;

import com.google.inject.Inject;
import io.rowqueue.example.ShopDatabase;
import org.jooq.DSLContext;

/**
 * A desk in the shop's own database. An order has one row, and whoever writes it first has decided:
 * the customer who pays, or the sweep that closes. Thread-safe.
 */
public final class TablePaymentDesk implements PaymentDesk {

  private final ShopDatabase database;

  /** In the table {@code shop_payment} of {@code database}. */
  @Inject
  public TablePaymentDesk(ShopDatabase database) {
    this.database = database;
  }

  /** For the checkout: takes the money, or answers false if the order was closed before. */
  public boolean pay(String orderId) {
    return write(orderId, Answer.PAID) == Answer.PAID;
  }

  @Override
  public Answer close(String orderId) {
    return write(orderId, Answer.CLOSED);
  }

  private Answer write(String orderId, Answer wanted) {
    return database.transaction(transaction -> write(transaction, orderId, wanted));
  }

  /** The update changes nothing: it locks the row, so that the read after it sees the latest. */
  private static Answer write(DSLContext transaction, String orderId, Answer wanted) {
    transaction.execute(
        "INSERT INTO shop_payment (order_id, answer) VALUES (?, ?)"
            + " ON DUPLICATE KEY UPDATE answer = answer",
        orderId,
        wanted.name());
    String answer =
        transaction
            .resultQuery("SELECT answer FROM shop_payment WHERE order_id = ?", orderId)
            .fetchSingle(0, String.class);
    return Answer.valueOf(answer);
  }
}
