package io.rowqueue.tests.statement;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.tests.process.CoreSurroundings;
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
        new CoreSurroundings(dataSource, probe),
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
}
