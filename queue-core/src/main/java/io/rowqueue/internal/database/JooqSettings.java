package io.rowqueue.internal.database;

import java.sql.Connection;
import org.jooq.DSLContext;
import org.jooq.Query;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;

/** How RowQueue uses jOOQ. Producers do without it, so only this class has its settings. */
public final class JooqSettings {

  private static final Settings SETTINGS =
      new Settings()
          .withRenderSchema(false)
          .withExecuteLogging(false)
          .withFetchWarnings(false)
          .withInListPadding(true)
          .withReturnIdentityOnUpdatableRecord(false);

  private JooqSettings() {}

  /** JOOQ on a connection that the caller owns. */
  public static DSLContext dsl(Connection connection, ServerDialect dialect) {
    return DSL.using(connection, dialect.jooq(), SETTINGS);
  }

  /** The text of {@code query}. */
  static String render(Query query, ServerDialect dialect) {
    return DSL.using(dialect.jooq(), SETTINGS).render(query);
  }
}
