package io.rowqueue.tests.process;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.database.ServerDialect;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.handle.HandlerDefaults;
import io.rowqueue.message.MessageLimits;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What the core's rooms need, where no worker is around them. */
public final class CoreSurroundings extends AbstractModule {

  private final DataSource dataSource;
  private final TransactionProbe probe;

  /** Transactions on {@code dataSource}, watched by {@code probe}. */
  public CoreSurroundings(DataSource dataSource, TransactionProbe probe) {
    this.dataSource = dataSource;
    this.probe = probe;
  }

  @Override
  protected void configure() {
    bind(HandlerDefaults.class).toInstance(HandlerDefaults.defaults());
    bind(MessageLimits.class).toInstance(MessageLimits.defaults());
  }

  @Provides
  @Singleton
  Transactions transactions() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return new Transactions(dataSource, ServerDialect.of(connection), probe);
    }
  }
}
