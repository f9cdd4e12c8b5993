package io.rowqueue.internal.reap;

import io.rowqueue.internal.database.DatabaseClock;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.Table;
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
    String identity = dsl.select(identity(dsl.dialect())).fetchSingle().value1();
    return new ServerIncarnation(identity, startedAt(dsl));
  }

  /** Distinguishes this server from others: MariaDB has no server_uuid. */
  public static Field<String> identity(SQLDialect dialect) {
    return dialect == SQLDialect.MARIADB
        ? DSL.field("CONCAT(@@hostname, ':', @@port)", String.class)
        : DSL.field("@@server_uuid", String.class);
  }

  /**
   * Now minus the uptime. Both are whole seconds of one clock, read by one statement, so their
   * difference stays constant during a server's run, even if its clock is set.
   */
  static Instant startedAt(DSLContext dsl) {
    return dsl.select(
            DSL.field("UTC_TIMESTAMP() - INTERVAL variable_value SECOND", DatabaseClock.type()))
        .from(globalStatus(dsl.dialect()))
        .where("variable_name = 'Uptime'")
        .fetchSingle()
        .value1();
  }

  private static Table<Record> globalStatus(SQLDialect dialect) {
    return DSL.table(
        dialect == SQLDialect.MARIADB
            ? "information_schema.global_status"
            : "performance_schema.global_status");
  }
}
