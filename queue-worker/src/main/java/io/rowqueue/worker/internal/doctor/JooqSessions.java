package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * Reads the server's sessions. Workers record the connection id of their listener, which gives
 * their accounts and hosts; other sessions with these are attributed to them.
 */
final class JooqSessions {

  /**
   * MySQL's information_schema fails while any session runs a statement with binary data in its
   * text.
   */
  private static final String SESSIONS = "SHOW PROCESSLIST";

  private static final String IN_ALL =
      "SHOW GLOBAL STATUS WHERE Variable_name = 'Threads_connected'";

  private JooqSessions() {}

  /**
   * What is visible.
   *
   * @param workers the number of live workers
   * @param found how many of them have a listener whose session is visible to this account: its
   *     own, or all with PROCESS
   * @param ofWorkers sessions in this schema from the workers' accounts and hosts, except this one
   * @param ofAccount sessions of this account
   * @param inAll all sessions of the server
   */
  record Seen(int workers, int found, long ofWorkers, long ofAccount, long inAll) {

    boolean isOfAllWorkers() {
      return workers > 0 && found == workers;
    }
  }

  /** A session's account, host and schema. */
  record Session(String user, String host, String schema) {}

  static Seen read(Transactions transactions) {
    return transactions.read(JooqSessions::read);
  }

  private static Seen read(DSLContext dsl) {
    List<Long> listeners = listeners(dsl);
    Record me = dsl.fetchSingle("SELECT CONNECTION_ID(), DATABASE()");
    long own = me.get(0, Long.class);
    Map<Long, Session> all = sessions(dsl);
    Map<Long, Session> here = new HashMap<>(all);
    here.values().removeIf(session -> !session.schema().equals(text(me, 1)));
    Set<Session> workers =
        listeners.stream().filter(here::containsKey).map(here::get).collect(Collectors.toSet());
    String user = all.containsKey(own) ? all.get(own).user() : "";
    here.remove(own);
    return new Seen(
        listeners.size(),
        (int) listeners.stream().filter(here::containsKey).count(),
        here.values().stream().filter(workers::contains).count(),
        all.values().stream().filter(session -> session.user().equals(user)).count(),
        dsl.fetchSingle(IN_ALL).get(1, Long.class));
  }

  /** Returns the visible sessions by id. */
  static Map<Long, Session> sessions(DSLContext dsl) {
    Map<Long, Session> sessions = new HashMap<>();
    for (Record row : dsl.fetch(SESSIONS)) {
      Session session = new Session(text(row, 1), host(text(row, 2)), text(row, 3));
      sessions.put(row.get(0, Long.class), session);
    }
    return sessions;
  }

  /** Returns each live worker's connection id; 0, which no session has, if it has no listener. */
  private static List<Long> listeners(DSLContext dsl) {
    return dsl.select(QUEUE_WORKER.LISTENER_CONNECTION)
        .from(QUEUE_WORKER)
        .where(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
        .and(QUEUE_WORKER.LEASE_UNTIL.ge(DatabaseClock.now()))
        .fetch(row -> row.value1() == null ? 0L : row.value1());
  }

  private static String text(Record row, int column) {
    @Nullable String value = row.get(column, String.class);
    return value == null ? "" : value;
  }

  /** Strips the port, which differs for each session. */
  private static String host(String address) {
    return address.replaceFirst(":\\d+$", "");
  }
}
