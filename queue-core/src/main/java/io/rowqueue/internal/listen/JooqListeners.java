package io.rowqueue.internal.listen;

import static io.rowqueue.internal.table.Tables.QUEUE_RESULT_LISTENER;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.reap.ServerIncarnation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;

/** Reads the listeners that a connection's server knows. */
public final class JooqListeners {

  private static final Field<Long> PROCESS_ID = DSL.field("p.id", Long.class);
  private static final Field<String> PROCESS_INFO = DSL.field("p.info", String.class);
  private static final Field<Long> CONNECTION_ID = DSL.field("CONNECTION_ID()", Long.class);

  private static final RenderedStatement ON_MARIADB = on(SQLDialect.MARIADB);
  private static final RenderedStatement ON_MYSQL = on(SQLDialect.MYSQL);

  private JooqListeners() {}

  /** The workers' listeners on the server of {@code connection}, from the workers' rows. */
  static List<Listener> on(Connection connection) throws SQLException {
    RenderedStatement text =
        ServerDialect.of(connection) == SQLDialect.MARIADB ? ON_MARIADB : ON_MYSQL;
    List<Listener> listeners = new ArrayList<>();
    try (PreparedStatement statement = text.prepare(connection, 1);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        long id = rows.getLong(2);
        listeners.add(
            new Listener(
                id,
                Set.copyOf(TopicNames.split(rows.getString(1))),
                rows.getObject(3) != null,
                ListenerSleep.isOn(id, rows.getString(4)),
                rows.getLong(5)));
      }
    }
    return listeners;
  }

  /** It has no parameters, because a producer's commit waits for it. */
  private static RenderedStatement on(SQLDialect dialect) {
    return new RenderedStatement(
        dialect,
        none ->
            DSL.select(
                    QUEUE_WORKER.TOPICS,
                    QUEUE_WORKER.LISTENER_CONNECTION,
                    PROCESS_ID,
                    PROCESS_INFO,
                    CONNECTION_ID)
                .from(QUEUE_WORKER)
                .leftJoin(processes(dialect))
                .on(PROCESS_ID.eq(QUEUE_WORKER.LISTENER_CONNECTION))
                .where(QUEUE_WORKER.IS_ALIVE.eq(DSL.inline((byte) 1)))
                .and(QUEUE_WORKER.LEASE_UNTIL.ge(DatabaseClock.now()))
                .and(QUEUE_WORKER.LISTENER_CONNECTION.isNotNull())
                .and(QUEUE_WORKER.SERVER_IDENTITY.eq(ServerIncarnation.identity(dialect)))
                .limit(DSL.inline(Integer.MAX_VALUE)));
  }

  /** The listeners of those of {@code waiters} that are on this server and asleep now. */
  static List<Long> asleep(Connection connection, Collection<String> waiters) throws SQLException {
    DSLContext dsl = Transactions.dsl(connection, ServerDialect.of(connection));
    return dsl
        .select(QUEUE_RESULT_LISTENER.LISTENER_CONNECTION, PROCESS_INFO)
        .from(QUEUE_RESULT_LISTENER.forceIndex("PRIMARY"))
        .join(processes(dsl.dialect()))
        .on(PROCESS_ID.eq(QUEUE_RESULT_LISTENER.LISTENER_CONNECTION))
        .where(QUEUE_RESULT_LISTENER.LISTENER.in(waiters))
        .and(QUEUE_RESULT_LISTENER.LEASE_UNTIL.ge(DatabaseClock.now()))
        .and(QUEUE_RESULT_LISTENER.SERVER_IDENTITY.eq(ServerIncarnation.identity(dsl.dialect())))
        .limit(DSL.inline(Integer.MAX_VALUE))
        .fetch()
        .stream()
        .filter(row -> ListenerSleep.isOn(row.value1(), row.value2()))
        .map(Record2::value1)
        .toList();
  }

  /**
   * Ends the sleep of the listener on the connection {@code id}, if it is asleep.
   *
   * @return whether it was, as far as this connection's account may see
   * @throws SQLException if this connection lacks the privilege, or is lost
   */
  public static boolean wake(Connection connection, long id) throws SQLException {
    try {
      if (!isAsleep(connection, id)) {
        return false;
      }
    } catch (DataAccessException e) {
      throw new SQLException(e.getMessage(), e);
    }
    ListenerSleep.end(connection, id);
    return true;
  }

  private static boolean isAsleep(Connection connection, long id) throws SQLException {
    DSLContext dsl = Transactions.dsl(connection, ServerDialect.of(connection));
    String info =
        dsl.select(PROCESS_INFO)
            .from(processes(dsl.dialect()))
            .where(PROCESS_ID.eq(id))
            .fetchOne(PROCESS_INFO);
    return ListenerSleep.isOn(id, info);
  }

  /**
   * MySQL's information_schema has a process list, too, but reading it blocks every new connection.
   */
  private static Table<?> processes(SQLDialect dialect) {
    return dialect == SQLDialect.MARIADB
        ? DSL.table("information_schema.processlist p")
        : DSL.table("performance_schema.processlist p");
  }

  /**
   * A worker's listener.
   *
   * @param connection its id on this server
   * @param topics the topics that its worker claims
   * @param visible whether this account sees it in the process list
   * @param asleep whether it waits for a notification now
   * @param asker the id of the connection that ran the query
   */
  record Listener(
      long connection, Set<String> topics, boolean visible, boolean asleep, long asker) {}
}
