package io.rowqueue.worker.internal.doctor;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.internal.WorkerPools;
import java.util.ArrayList;
import java.util.List;

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
    findings.add(wanted(seen, ofAccount == 0 ? most : Math.min(most, ofAccount)));
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

  private Finding wanted(JooqSessions.Seen seen, long admitted) {
    Integer said = settings.threads();
    int threads = said == null ? DEFAULT_THREADS : said;
    long alive = Math.max(1, seen.workers());
    long wanted = alive * WorkerPools.most(threads);
    String needs =
        "workers: %d with %d threads, %s, need up to %d connections, and the server allows %d"
            .formatted(
                alive,
                threads,
                said == null ? "the default" : "as --threads says",
                wanted,
                admitted);
    return wanted > admitted ? Finding.warning(SUBJECT, needs, MORE) : Finding.ok(SUBJECT, needs);
  }
}
