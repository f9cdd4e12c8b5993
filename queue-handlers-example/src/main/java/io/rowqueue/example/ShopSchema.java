package io.rowqueue.example;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

/** The shop's own tables, beside the queue's in one schema. */
public final class ShopSchema {

  private static final int SLOTS = 10;
  private static final Pattern SEPARATOR = Pattern.compile(";\\s*\\n");

  private ShopSchema() {}

  /** Creates the tables that are missing. */
  public static void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : SEPARATOR.split(script(), -1)) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
    }
  }

  /** Adds {@code amount} to the stock of {@code sku}, spread evenly over its slots. */
  public static void stock(Connection connection, String sku, int amount) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO shop_stock (sku, slot, stock) VALUES (?, ?, ?)"
                + " ON DUPLICATE KEY UPDATE stock = stock + VALUES(stock)")) {
      for (int slot = 0; slot < SLOTS; slot++) {
        insert.setString(1, sku);
        insert.setInt(2, slot);
        insert.setInt(3, amount / SLOTS + (slot < amount % SLOTS ? 1 : 0));
        insert.executeUpdate();
      }
    }
  }

  private static String script() {
    try (InputStream in = ShopSchema.class.getResourceAsStream("shop.sql")) {
      if (in == null) {
        throw new IllegalStateException("shop.sql is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
