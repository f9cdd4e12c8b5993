package io.rowqueue.tests.statement;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.ClaimSettings;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.MessageLimits;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The core's parts over a data source, with no worker round them. */
public final class Core {

  /** The marks of a cursor depend on the time of day, and so would the SQL. */
  public static final ClaimSettings PLAIN = new ClaimSettings(Kind.SKIP_LOCKED, false);

  private final DataSource dataSource;
  private final TransactionProbe probe;
  private final Injector parts;

  /** Transactions on {@code dataSource}, watched by {@code probe}. */
  public Core(DataSource dataSource, TransactionProbe probe) {
    this.dataSource = dataSource;
    this.probe = probe;
    this.parts = parts(PLAIN);
  }

  private Injector parts(ClaimSettings settings) {
    return Guice.createInjector(
        new QueueCoreModule(),
        new CoreModuleSettings(dataSource, probe),
        binder ->
            OptionalBinder.newOptionalBinder(binder, ClaimSettings.class)
                .setBinding()
                .toInstance(settings));
  }

  /** One of them. */
  public <T> T get(Class<T> part) {
    return parts.getInstance(part);
  }

  /** Claims in the way of {@code settings}, and remembers nothing of earlier claims. */
  public ClaimStrategy strategy(ClaimSettings settings) {
    return parts(settings).getInstance(ClaimStrategy.class);
  }

  /** What the parts are over. */
  public DataSource connections() {
    return dataSource;
  }

  /** What the core's rooms need, where no worker is around them. */
  static final class CoreModuleSettings extends AbstractModule {

    private final DataSource dataSource;
    private final TransactionProbe probe;

    /** Transactions on {@code dataSource}, watched by {@code probe}. */
    public CoreModuleSettings(DataSource dataSource, TransactionProbe probe) {
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
}
