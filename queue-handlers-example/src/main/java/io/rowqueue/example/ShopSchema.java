package io.rowqueue.example;

import io.rowqueue.example.order.Stock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** The shop's own tables, beside the queue's in one schema. */
public final class ShopSchema {

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

  /** Adds {@code amount} to the stock of {@code sku}, in the connection's transaction. */
  public static void stock(Connection connection, String sku, int amount) {
    new Stock(DSL.using(connection, SQLDialect.MYSQL)).add(sku, amount);
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
