package io.rowqueue.example;

import com.mysql.cj.jdbc.MysqlDataSource;
import java.sql.SQLException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The shop's own way to its tables, for handlers without a transaction: they write when their call
 * to the outside is over, in a short transaction. Thread-safe.
 */
public final class ShopDatabase {

  private static final int CONNECT_MILLIS = 5_000;
  private static final int ANSWER_MILLIS = 30_000;

  private final @Nullable DataSource dataSource;

  private ShopDatabase(@Nullable DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** On connections of {@code dataSource}: a team's own pool. */
  public static ShopDatabase on(DataSource dataSource) {
    return new ShopDatabase(dataSource);
  }

  /**
   * At {@code url}, user and password in it, a new connection each time.
   *
   * @throws IllegalArgumentException if it is no URL of MySQL or MariaDB
   */
  public static ShopDatabase at(String url) {
    if (!url.startsWith("jdbc:mysql://")) {
      throw new IllegalArgumentException(
          "the URL of the shop's tables (SHOP_DB_URL) must begin with jdbc:mysql://");
    }
    // A plug-in brings its own driver: it does not see the worker's, and so names the class.
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(url);
    try {
      dataSource.setConnectTimeout(CONNECT_MILLIS);
      dataSource.setSocketTimeout(ANSWER_MILLIS);
    } catch (SQLException e) {
      throw new IllegalStateException("the driver refuses its own timeouts", e);
    }
    return on(dataSource);
  }

  /**
   * At the URL in SHOP_DB_URL. A shop without it runs, and only the handlers that need it fail.
   *
   * @throws IllegalArgumentException if it is no URL of MySQL or MariaDB
   */
  public static ShopDatabase fromEnvironment() {
    return from(System.getenv("SHOP_DB_URL"));
  }

  /** {@code url} is null if nobody has set it. */
  static ShopDatabase from(@Nullable String url) {
    return url == null ? new ShopDatabase(null) : at(url);
  }

  /**
   * Runs {@code work} in a transaction of its own and commits it, or rolls back if it throws. Not
   * repeated: the message that wanted it is.
   *
   * @return what the work returned
   * @throws IllegalStateException if SHOP_DB_URL is not set
   * @throws org.jooq.exception.DataAccessException if the database fails
   */
  public <T> T transaction(Function<DSLContext, T> work) {
    if (dataSource == null) {
      throw new IllegalStateException(
          "SHOP_DB_URL is not set; give it the JDBC URL of the shop's tables, or bind a"
              + " ShopDatabase");
    }
    return DSL.using(dataSource, SQLDialect.MYSQL)
        .transactionResult(configuration -> work.apply(configuration.dsl()));
  }
}
