package io.rowqueue.worker.internal.doctor;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.internal.doctor.JooqAwaiting.Seen;
import java.util.ArrayList;
import java.util.List;

/** Checks whether workers can notify the sessions that await results. */
final class AwaitingCheck {

  private static final String SUBJECT = "results";

  private static final String AS_WORKERS = "to see it, run this with the workers' account";

  private final Transactions transactions;

  AwaitingCheck(Transactions transactions) {
    this.transactions = transactions;
  }

  List<Finding> find() {
    try {
      return findings(JooqAwaiting.read(transactions));
    } catch (QueueException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      return List.of(
          Finding.unknown(
              SUBJECT, "this account cannot see the sessions that await results", AS_WORKERS));
    }
  }

  /**
   * Without notification a result only arrives up to a second late, so none of this is a problem.
   */
  static List<Finding> findings(Seen seen) {
    if (seen.all() == 0) {
      return List.of(Finding.ok(SUBJECT, "no session awaits a result"));
    }
    if (!seen.anyWorker()) {
      return List.of(
          Finding.unknown(
              SUBJECT, "no worker is alive to notify the sessions that await results", ""));
    }
    List<Finding> findings = new ArrayList<>();
    if (seen.apart() > 0) {
      findings.add(
          Finding.warning(
              SUBJECT,
              awaiting(seen.apart(), seen.all())
                  + " on a server that no worker is connected to, so each result arrives up to a"
                  + " second late",
              "connect these clients to the workers' server"));
    }
    if (seen.workers() == 0 && seen.apart() < seen.all()) {
      findings.add(
          Finding.unknown(SUBJECT, "this account cannot see the workers' connections", AS_WORKERS));
    } else {
      findings.addAll(connected(seen));
    }
    if (seen.elsewhere() > 0) {
      findings.add(
          Finding.unknown(
              SUBJECT,
              awaiting(seen.elsewhere(), seen.all()) + " on another server",
              "to see them, run this on their server"));
    }
    if (seen.all() == JooqAwaiting.MOST) {
      findings.add(
          Finding.unknown(
              SUBJECT, "only %,d sessions were checked".formatted(JooqAwaiting.MOST), ""));
    }
    return findings.isEmpty()
        ? List.of(
            Finding.ok(
                SUBJECT,
                "workers can notify all sessions that await results, %d in total"
                    .formatted(seen.all())))
        : findings;
  }

  private static List<Finding> connected(Seen seen) {
    List<Finding> findings = new ArrayList<>();
    if (seen.hidden() > 0) {
      findings.add(
          Finding.warning(
              SUBJECT,
              awaiting(seen.hidden(), seen.all())
                  + " on connections that this account cannot see, so its workers cannot notify"
                  + " them, and each result arrives up to a second late",
              "if it persists for half a minute (one may just have ended), connect these clients"
                  + " with the workers' account and without a proxy, or grant that account PROCESS"
                  + " and CONNECTION_ADMIN (`queue-worker grants notifier`)"));
    }
    if (seen.others() > 0) {
      findings.add(
          Finding.unknown(
              SUBJECT,
              awaiting(seen.others(), seen.all())
                  + " with an account other than the workers', which notify them only with PROCESS"
                  + " and CONNECTION_ADMIN",
              "check that the workers' account has both (`queue-worker grants notifier`)"));
    }
    return findings;
  }

  private static String awaiting(int some, int all) {
    return "%d of %d sessions that await results wait".formatted(some, all);
  }
}
