package io.rowqueue.example;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShopDatabaseTest {

  @Test
  void transaction_withoutAnUrl_saysWhatToSet() {
    ShopDatabase nowhere = ShopDatabase.from(null);
    assertThatThrownBy(() -> nowhere.transaction(transaction -> 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("SHOP_DB_URL");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "db.example.org/shop", "jdbc:postgresql://db.example.org/shop"})
  void url_ofNoServerOfOurs_isRefusedAtOnce(String url) {
    assertThatThrownBy(() -> ShopDatabase.from(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:mysql://");
  }
}
