package io.rowqueue.internal.database;

import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** One open transaction. Confined to the thread that runs it, and ended when the work returns. */
public final class Transaction {

  private final Connection connection;
  private final ServerDialect dialect;
  private final AfterCommit afterCommit;
  private final boolean managed;
  private @Nullable DSLContext dsl;
  private boolean discarded;

  Transaction(
      Connection connection, ServerDialect dialect, AfterCommit afterCommit, boolean managed) {
    this.connection = connection;
    this.dialect = dialect;
    this.afterCommit = afterCommit;
    this.managed = managed;
  }

  /** Its connection, with auto-commit off. */
  public Connection connection() {
    return connection;
  }

  /** Its connection, for producers: after its COMMIT, workers are notified of what they enqueue. */
  public Connection connectionForProducers() {
    return afterCommit.carriedBy(connection);
  }

  /** The dialect of its server. */
  public ServerDialect dialect() {
    return dialect;
  }

  /** Whether a framework manages it, so that its statements may bypass {@link #connection()}. */
  public boolean isManaged() {
    return managed;
  }

  /** Collects the notifications to send after its COMMIT. */
  public AfterCommit afterCommit() {
    return afterCommit;
  }

  /** Has its connection closed at the end, because its session was changed. */
  public void discardConnection() {
    discarded = true;
  }

  /** Whether its connection is closed at the end. */
  public boolean isDiscarded() {
    return discarded;
  }

  /** JOOQ on its connection; created on demand, since most acks do not need it. */
  public DSLContext dsl() {
    DSLContext made = dsl;
    if (made == null) {
      made = JooqSettings.dsl(connection, dialect);
      afterCommit.attach(made.configuration());
      dsl = made;
    }
    return made;
  }
}
