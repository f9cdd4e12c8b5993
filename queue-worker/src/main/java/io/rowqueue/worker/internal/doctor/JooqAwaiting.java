package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_RESULT_LISTENER;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.reap.ServerIncarnation;
import io.rowqueue.worker.internal.doctor.JooqSessions.Session;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads which sessions await results and whether workers can interrupt their sleep: both record
 * their server and connection id.
 */
final class JooqAwaiting {

  static final int MOST = 1_000;

  /** Rows are renewed every twenty seconds for a minute; older ones are stale. */
  private static final Duration RENEWED = Duration.ofSeconds(30);

  private JooqAwaiting() {}

  /**
   * What is visible.
   *
   * @param all processes that await results, at most a thousand
   * @param apart those on a server without a live worker
   * @param elsewhere those on another server that a live worker is connected to
   * @param hidden those on this server whose session is not visible to this account
   * @param others those whose session belongs to an account that no worker uses
   * @param workers accounts of live workers whose sessions are visible
   * @param anyWorker whether a worker is alive
   */
  record Seen(
      int all, int apart, int elsewhere, int hidden, int others, int workers, boolean anyWorker) {}

  /** A session on a server, as recorded by its process; both may be unknown. */
  private record Sleeper(@Nullable String server, @Nullable Long session) {}

  static Seen read(Transactions transactions) {
    return transactions.read(JooqAwaiting::read);
  }

  private static Seen read(DSLContext dsl) {
    List<Sleeper> waiters = waiters(dsl);
    if (waiters.isEmpty()) {
      return new Seen(0, 0, 0, 0, 0, 0, true);
    }
    List<Sleeper> workers = workers(dsl);
    String here =
        dsl.select(ServerIncarnation.identity(ServerDialect.in(dsl))).fetchSingle().value1();
    Map<Long, Session> sessions = JooqSessions.sessions(dsl);
    Set<String> accounts =
        seen(on(here, workers), sessions).stream().map(Session::user).collect(Collectors.toSet());
    List<Sleeper> near = on(here, waiters);
    List<Session> seen = seen(near, sessions);
    List<Sleeper> apart =
        waiters.stream().filter(waiter -> on(waiter.server(), workers).isEmpty()).toList();
    return new Seen(
        waiters.size(),
        apart.size(),
        waiters.size() - near.size() - apart.size() + on(here, apart).size(),
        near.size() - seen.size(),
        (int) seen.stream().filter(session -> !accounts.contains(session.user())).count(),
        accounts.size(),
        !workers.isEmpty());
  }

  private static List<Sleeper> on(@Nullable String server, List<Sleeper> sleepers) {
    return sleepers.stream().filter(each -> Objects.equals(each.server(), server)).toList();
  }

  private static List<Session> seen(List<Sleeper> sleepers, Map<Long, Session> sessions) {
    return sleepers.stream()
        .map(Sleeper::session)
        .filter(sessions::containsKey)
        .map(sessions::get)
        .toList();
  }

  private static List<Sleeper> waiters(DSLContext dsl) {
    return dsl.select(
            QUEUE_RESULT_LISTENER.SERVER_IDENTITY, QUEUE_RESULT_LISTENER.LISTENER_CONNECTION)
        .from(QUEUE_RESULT_LISTENER)
        .where(QUEUE_RESULT_LISTENER.LEASE_UNTIL.ge(DatabaseClock.after(RENEWED)))
        .limit(MOST)
        .fetch(row -> new Sleeper(row.value1(), row.value2()));
  }

  private static List<Sleeper> workers(DSLContext dsl) {
    return dsl.select(QUEUE_WORKER.SERVER_IDENTITY, QUEUE_WORKER.LISTENER_CONNECTION)
        .from(QUEUE_WORKER)
        .where(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
        .and(QUEUE_WORKER.LEASE_UNTIL.ge(DatabaseClock.now()))
        .fetch(row -> new Sleeper(row.value1(), row.value2()));
  }
}
