package io.rowqueue.proof.demo;

import io.rowqueue.example.order.PlaceOrder;
import java.util.List;
import java.util.stream.IntStream;

/** What the customers of the demonstration want. */
final class Orders {

  /** The article whose maker wants to be told of each order. */
  static final String PARTNERS_SKU = "honey";

  static final List<String> SKUS = List.of("tea", PARTNERS_SKU);

  /** Every how many orders one is for the partner's article. */
  private static final int PARTNERS_SHARE = 50;

  private Orders() {}

  static List<PlaceOrder> of(int orders, int customers) {
    return IntStream.range(0, orders)
        .mapToObj(
            number ->
                new PlaceOrder(
                    "order-" + number,
                    "customer-" + number % customers + "@example.org",
                    sku(number),
                    1))
        .toList();
  }

  /** How many pieces of {@code sku} the {@code orders} take. */
  static int pieces(int orders, String sku) {
    return (int) IntStream.range(0, orders).filter(number -> sku(number).equals(sku)).count();
  }

  static int forThePartner(int orders) {
    return pieces(orders, PARTNERS_SKU);
  }

  private static String sku(int number) {
    return number % PARTNERS_SHARE == 0 ? PARTNERS_SKU : SKUS.get(0);
  }
}
