package io.rowqueue.internal.enqueue;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.WorkerNotifiers;
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

/** Transactions of producers' own, which ring for what they have enqueued. Thread-safe. */
public final class OwnTransactions {

  private final @Nullable WorkerNotifier notifier;

  /**
   * One for each data source, where nobody said which ring it shall be. A ring holds its data
   * source, so an application that makes many is rid of both only if the reference is soft.
   */
  private final Map<DataSource, SoftReference<WorkerNotifier>> notifiers = new WeakHashMap<>();

  /** Rings with {@code ring}; if it is null, over each data source itself. */
  public OwnTransactions(@Nullable WorkerNotifier notifier) {
    this.notifier = notifier;
  }

  /**
   * Runs {@code work}.
   *
   * @param what it writes, for people: "3 messages"
   */
  <T> T run(DataSource dataSource, Transition transition, String what, TransactionalWork<T> work) {
    // The dialect plays no part in these statements, so no server is asked for it.
    Transactions transactions =
        new Transactions(dataSource, SQLDialect.MYSQL, TransactionProbe.NONE)
            .guarded()
            .ringing(notifyWorkers(dataSource));
    try {
      return transactions.run(transition, work);
    } catch (CommitOutcomeUnknownException e) {
      throw new EnqueueOutcomeUnknownException(
          "the COMMIT of %s was not answered; all of them are in the queue, or none: %s"
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
        its = WorkerNotifiers.over(dataSource);
        notifiers.put(dataSource, new SoftReference<>(its));
      }
      return its;
    }
  }
}
