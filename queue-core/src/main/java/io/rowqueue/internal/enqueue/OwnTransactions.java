package io.rowqueue.internal.enqueue;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.TransactionalWork;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.lang.ref.SoftReference;
import java.util.Map;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jspecify.annotations.Nullable;

/** Runs producers' own transactions and notifies workers after the commit. Thread-safe. */
public final class OwnTransactions {

  private final @Nullable WorkerNotifier notifier;

  /**
   * A notifier for each data source, unless the application has set one. The references are soft: a
   * notifier refers to its data source, so a strong reference would keep both forever.
   */
  private final Map<DataSource, SoftReference<WorkerNotifier>> notifiers = new WeakHashMap<>();

  /** Notifies by {@code notifier}; if it is null, over each data source. */
  public OwnTransactions(@Nullable WorkerNotifier notifier) {
    this.notifier = notifier;
  }

  /**
   * Runs {@code work} in a transaction of its own, and notifies workers after the commit.
   *
   * @param what describes the rows in an error: "3 messages"
   * @throws EnqueueException if the database fails; nothing was enqueued
   * @throws EnqueueOutcomeUnknownException if the outcome of the commit is unknown
   */
  <T> T run(DataSource dataSource, Transition transition, String what, TransactionalWork<T> work) {
    // These statements do not depend on the dialect, so the server is not queried for it.
    Transactions transactions =
        new Transactions(dataSource, SQLDialect.MYSQL, TransactionProbe.NONE)
            .guarded()
            .ringing(notifyWorkers(dataSource));
    try {
      return transactions.run(transition, work);
    } catch (CommitOutcomeUnknownException e) {
      throw new EnqueueOutcomeUnknownException(
          "the outcome of the COMMIT of %s is unknown; all of them are in the queue, or none: %s"
              .formatted(what, e.getMessage()),
          e);
    } catch (DatabaseUnavailableException e) {
      throw new EnqueueException("%s were not enqueued: %s".formatted(what, e.getMessage()), e);
    }
  }

  private WorkerNotifier notifyWorkers(DataSource dataSource) {
    if (notifier != null) {
      return notifier;
    }
    synchronized (notifiers) {
      SoftReference<WorkerNotifier> known = notifiers.get(dataSource);
      WorkerNotifier its = known == null ? null : known.get();
      if (its == null) {
        its = WorkerNotifier.over(dataSource);
        notifiers.put(dataSource, new SoftReference<>(its));
      }
      return its;
    }
  }
}
