package io.rowqueue.proof.race;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** All connections of a pool, taken from everybody else until it is closed. */
final class Shut implements AutoCloseable {

  private final HikariDataSource pool;
  private final List<Connection> taken = new ArrayList<>();

  private Shut(HikariDataSource pool) {
    this.pool = pool;
  }

  static Shut of(HikariDataSource pool) throws SQLException {
    Shut shut = new Shut(pool);
    while (shut.taken.size() < pool.getMaximumPoolSize()) {
      shut.taken.add(pool.getConnection());
    }
    return shut;
  }

  /** Whether somebody stands before it. */
  boolean isWaitedFor() {
    return pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0;
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : taken) {
      connection.close();
    }
  }
}
