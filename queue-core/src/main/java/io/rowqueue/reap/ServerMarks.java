package io.rowqueue.reap;

import io.rowqueue.database.DatabaseClock;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Asks a server who it is, and since when it runs. Thread-safe. */
public final class ServerMarks {

  /** Uptime counts whole seconds, and two readings of it may differ by one. */
  private static final Duration PRECISION = Duration.ofSeconds(3);

  private ServerMarks() {}

  /** The mark of the server at the other end of {@code dsl}. */
  public static ServerMark of(DSLContext dsl) {
    String identity = dsl.select(identity(dsl.dialect())).fetchSingle().value1();
    return new ServerMark(identity, startedAt(dsl));
  }

  /** What tells this server from others: MariaDB has no server_uuid. */
  public static Field<String> identity(SQLDialect dialect) {
    return dialect == SQLDialect.MARIADB
        ? DSL.field("CONCAT(@@hostname, ':', @@port)", String.class)
        : DSL.field("@@server_uuid", String.class);
  }

  /** Now, less how long it has been up. */
  static Instant startedAt(DSLContext dsl) {
    Instant now = dsl.select(DatabaseClock.now()).fetchSingle().value1();
    String uptime =
        String.valueOf(dsl.fetchSingle("SHOW GLOBAL STATUS LIKE 'Uptime'").get(1, String.class));
    return now.minusSeconds(Long.parseLong(uptime));
  }

  static boolean sameRun(Instant started, @Nullable Instant recorded) {
    return recorded != null && Duration.between(started, recorded).abs().compareTo(PRECISION) <= 0;
  }
}
