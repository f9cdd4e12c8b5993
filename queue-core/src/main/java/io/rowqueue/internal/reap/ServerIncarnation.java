package io.rowqueue.internal.reap;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ServerDialect;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * Identifies one run of one server. A lock that a worker took proves that the worker is alive only
 * on that server and in that run of it.
 *
 * @param identity MySQL's server_uuid; MariaDB's host and port
 * @param startedAt when the server started, by its own clock, to the second
 */
public record ServerIncarnation(String identity, Instant startedAt) {
  public static ServerIncarnation of(DSLContext dsl) {
    String identity = dsl.select(identity(ServerDialect.in(dsl))).fetchSingle().value1();
    return new ServerIncarnation(identity, startedAt(dsl));
  }

  /** Distinguishes this server from others. */
  public static Field<String> identity(ServerDialect dialect) {
    return DSL.field(dialect.identity(), String.class);
  }

  /**
   * Now minus the uptime. Both are whole seconds of one clock, read by one statement, so their
   * difference stays constant during a server's run, even if its clock is set.
   */
  static Instant startedAt(DSLContext dsl) {
    return dsl.select(
            DSL.field("UTC_TIMESTAMP() - INTERVAL variable_value SECOND", DatabaseClock.type()))
        .from(DSL.table(ServerDialect.in(dsl).statusSchema() + ".global_status"))
        .where("variable_name = 'Uptime'")
        .fetchSingle()
        .value1();
  }
}
