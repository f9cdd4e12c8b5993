package io.rowqueue.worker.internal.doctor;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.internal.doctor.JooqAwaiting.Seen;
import java.util.ArrayList;
import java.util.List;

/** Whether those who await results are woken when one is there. */
final class AwaitingCheck {

  private static final String SUBJECT = "results";

  private static final String AS_WORKERS = "to see it, run this with the workers' account";

  private final Transactions transactions;

  AwaitingCheck(Transactions transactions) {
    this.transactions = transactions;
  }

  List<Finding> find() {
    try {
      return judged(JooqAwaiting.read(transactions));
    } catch (QueueException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      return List.of(
          Finding.unknown(SUBJECT, "this account does not see who awaits them", AS_WORKERS));
    }
  }

  /** What is lost is a second each time, so nothing of it is a problem. */
  static List<Finding> judged(Seen seen) {
    if (seen.all() == 0) {
      return List.of(Finding.ok(SUBJECT, "nobody awaits any"));
    }
    if (!seen.anyWorker()) {
      return List.of(Finding.unknown(SUBJECT, "no worker is alive to wake those who await", ""));
    }
    List<Finding> findings = new ArrayList<>();
    if (seen.apart() > 0) {
      findings.add(
          Finding.warning(
              SUBJECT,
              awaiting(seen.apart(), seen.all())
                  + " on a server that no worker is connected to, so each result is found up to a"
                  + " second late",
              "let them connect to the server that the workers are on"));
    }
    if (seen.workers() == 0 && seen.apart() < seen.all()) {
      findings.add(
          Finding.unknown(
              SUBJECT, "this account does not see the workers' own connections", AS_WORKERS));
    } else {
      findings.addAll(connected(seen));
    }
    return findings.isEmpty()
        ? List.of(
            Finding.ok(
                SUBJECT, "workers can wake all who await some, %d of them".formatted(seen.all())))
        : findings;
  }

  private static List<Finding> connected(Seen seen) {
    List<Finding> findings = new ArrayList<>();
    if (seen.hidden() > 0) {
      findings.add(
          Finding.warning(
              SUBJECT,
              awaiting(seen.hidden(), seen.all())
                  + " on connections that this account does not see, so workers of it cannot wake"
                  + " them, and each result is found up to a second late",
              "if it is still so in half a minute (one may just have ended), let them connect with"
                  + " the workers' account and without a proxy, or grant that PROCESS and"
                  + " CONNECTION_ADMIN (`queue-worker grants notifier`)"));
    }
    if (seen.others() > 0) {
      findings.add(
          Finding.unknown(
              SUBJECT,
              awaiting(seen.others(), seen.all())
                  + " with another account than the workers', who wake them only with PROCESS and"
                  + " CONNECTION_ADMIN",
              "see that the workers' account has both (`queue-worker grants notifier`)"));
    }
    return findings;
  }

  private static String awaiting(int some, int all) {
    return "%d of %d who await results sleep".formatted(some, all);
  }
}
