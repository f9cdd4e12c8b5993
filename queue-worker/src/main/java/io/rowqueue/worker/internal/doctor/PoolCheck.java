package io.rowqueue.worker.internal.doctor;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerLoad;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.WorkerReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Checks that the server allows the connections that workers open: those that they hold now, and
 * those that they may need when all their threads are busy.
 */
final class PoolCheck {

  private static final String SUBJECT = "connections";

  private static final int DEFAULT_THREADS = 16;

  private static final String MORE =
      "raise max_connections (and max_user_connections), or lower --threads; threads"
          + " without a connection release their messages";

  /** The account's own limit; without one, the server's for each account. */
  private static final String OF_ACCOUNT = "SELECT @@SESSION.max_user_connections";

  private final Transactions transactions;
  private final DoctorSettings settings;

  PoolCheck(Transactions transactions, DoctorSettings settings) {
    this.transactions = transactions;
    this.settings = settings;
  }

  /** Checks what the live workers hold, if it is visible, and computes what they need at most. */
  List<Finding> find() {
    ServerVariables server = ServerVariables.read(transactions);
    long most = server.number("max_connections");
    long ofAccount = transactions.read(dsl -> dsl.fetchSingle(OF_ACCOUNT).get(0, Long.class));
    JooqSessions.Seen seen = JooqSessions.read(transactions);
    List<Finding> findings = new ArrayList<>();
    if (seen.isOfAllWorkers()) {
      findings.add(held(seen, most, ofAccount));
    }
    findings.add(wanted(ofAccount == 0 ? most : Math.min(most, ofAccount)));
    return findings;
  }

  private static Finding held(JooqSessions.Seen seen, long most, long ofAccount) {
    String held =
        "workers: %d alive hold %d connections, by the server's list of sessions; "
            .formatted(seen.workers(), seen.ofWorkers());
    if (ofAccount > 0 && seen.ofAccount() >= ofAccount) {
      String full = "this account has %d of at most %d".formatted(seen.ofAccount(), ofAccount);
      return Finding.warning(SUBJECT, held + full, MORE);
    }
    String full = "%d are open in total, max_connections is %d".formatted(seen.inAll(), most);
    return seen.inAll() >= most
        ? Finding.warning(SUBJECT, held + full, MORE)
        : Finding.ok(SUBJECT, held + full);
  }

  /**
   * Without --threads by those that live workers report, which they do from their first renewal.
   */
  private Finding wanted(long admitted) {
    List<ListedWorker> alive =
        new WorkerReader(transactions).read().stream().filter(ListedWorker::isAlive).toList();
    List<Integer> reported =
        alive.stream()
            .map(ListedWorker::load)
            .filter(Objects::nonNull)
            .map(WorkerLoad::threads)
            .toList();
    Integer said = settings.threads();
    int workers = Math.max(1, alive.size());
    int each = said == null ? DEFAULT_THREADS : said;
    List<Integer> known = said == null ? reported : List.of();
    int others = workers - known.size();
    long wanted =
        known.stream().mapToLong(WorkerPools::most).sum() + (long) others * WorkerPools.most(each);
    String threads =
        known.isEmpty()
            ? "%d threads, %s,".formatted(each, said == null ? "the default" : "as --threads says")
            : "%d threads in total"
                .formatted(known.stream().mapToInt(Integer::intValue).sum() + others * each);
    String needs =
        "workers: %d with %s need up to %d connections, and the server allows %d"
            .formatted(workers, threads, wanted, admitted);
    return wanted > admitted ? Finding.warning(SUBJECT, needs, MORE) : Finding.ok(SUBJECT, needs);
  }
}
