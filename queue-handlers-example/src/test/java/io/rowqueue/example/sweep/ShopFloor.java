package io.rowqueue.example.sweep;

import io.rowqueue.MessageProducer;
import io.rowqueue.example.ShopDatabase;
import io.rowqueue.example.ShopSchema;
import io.rowqueue.example.order.Stock;
import io.rowqueue.testkit.FakeContext;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** A shop with 100 pieces of tea, for tests that place orders and sweep them by hand. */
final class ShopFloor {

  static final int STOCK = 100;

  /** Three at once; two days to pay, and an hour to settle. */
  static final SweepConfig CONFIG =
      new SweepConfig(Duration.ofMinutes(1), Duration.ofDays(2), Duration.ofHours(1), 3);

  final QueueDatabase database;
  final ShopDatabase shop;
  final TablePaymentDesk desk;

  ShopFloor(QueueDatabase database) throws SQLException {
    this.database = database;
    this.shop = ShopDatabase.at(database.url());
    this.desk = new TablePaymentDesk(shop);
    try (Connection connection = database.connect()) {
      ShopSchema.create(connection);
      database.execute("DELETE FROM shop_order", "DELETE FROM queue_counter");
      database.execute("DELETE FROM shop_payment", "UPDATE shop_sweep SET generation = 1");
      connection.setAutoCommit(false);
      ShopSchema.stock(connection, "tea", STOCK);
      connection.commit();
    }
  }

  /** Orders one piece each, placed so many days ago; their ids begin with {@code prefix}. */
  void place(String prefix, int orders, int daysAgo) {
    shop.transaction(
        transaction -> {
          for (int i = 0; i < orders; i++) {
            if (!new Stock(transaction).take("tea", 1)) {
              throw new AssertionError("the test orders more than there is");
            }
            transaction.execute(
                "INSERT INTO shop_order (id, email, sku, quantity, state, placed_at)"
                    + " VALUES (?, 'ada@example.org', 'tea', 1, 'CONFIRMED',"
                    + " UTC_TIMESTAMP(6) - INTERVAL ? DAY)",
                prefix + "-" + i,
                daysAgo);
          }
          return orders;
        });
  }

  /** Handles the sweep of that generation in a transaction, as a worker would; commits. */
  void sweep(long generation) throws SQLException {
    try (Connection connection = transaction()) {
      sweep(generation, connection);
      connection.commit();
    }
  }

  /** The same in a transaction that the test ends. */
  void sweep(long generation, Connection connection) {
    new SweepOrdersHandler(MessageProducer.create(), CONFIG)
        .handle(new SweepOrders(generation), FakeContext.aContext().withTransaction(connection));
  }

  /** Takes as a run would that then dies: nothing is enqueued for what it holds. */
  int take(long sweepId) throws SQLException {
    try (Connection connection = transaction()) {
      int taken = orders(connection).take(sweepId, CONFIG);
      connection.commit();
      return taken;
    }
  }

  /** Handles the message of one order, with the desk in the table. */
  void settle(String orderId, long sweepId) throws Exception {
    new UnpaidOrderHandler(desk, shop, MessageProducer.create())
        .handle(new UnpaidOrder(orderId, sweepId), FakeContext.aContext());
  }

  UnpaidOrders orders(Connection connection) {
    return new UnpaidOrders(DSL.using(connection, SQLDialect.MYSQL));
  }

  /** As a worker's. */
  Connection transaction() throws SQLException {
    Connection connection = database.connect();
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    return connection;
  }

  /** How many orders there are in that state. */
  long in(String state) {
    return database.count("SELECT COUNT(*) FROM shop_order WHERE state = '" + state + "'");
  }

  /** How many pieces lie in the shop. */
  long stock() {
    return database.count("SELECT SUM(amount) FROM queue_counter");
  }

  /** How many messages of that topic wait. */
  long messages(String topic) {
    return database.count("SELECT COUNT(*) FROM queue_message WHERE topic = '" + topic + "'");
  }
}
