package io.rowqueue.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.testkit.QueueDatabase;

/** The pools that applications give a worker. */
enum AppPool {
  MYSQL("mysql", "", true),
  MYSQL_WITHOUT_AUTO_COMMIT("mysql", "", false),
  MYSQL_SERVER_PREPARED(
      "mysql", "&useServerPrepStmts=true&cachePrepStmts=true&emulateUnsupportedPstmts=false", true),
  MARIADB("mariadb", "&allowPublicKeyRetrieval=true", true),
  MARIADB_SERVER_PREPARED(
      "mariadb", "&allowPublicKeyRetrieval=true&useServerPrepStmts=true", false);

  private final String driver;
  private final String parameters;
  private final boolean autoCommit;

  AppPool(String driver, String parameters, boolean autoCommit) {
    this.driver = driver;
    this.parameters = parameters;
    this.autoCommit = autoCommit;
  }

  /** A pool of {@code size} connections. */
  HikariDataSource open(QueueDatabase database, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url().replace("jdbc:mysql:", "jdbc:" + driver + ":") + parameters);
    config.setAutoCommit(autoCommit);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(5_000);
    return new HikariDataSource(config);
  }
}
