package io.rowqueue.internal.enqueue;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.AutoCommitSession;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.TransactionalWork;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.lang.ref.SoftReference;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Runs producers' own transactions and notifies workers after the commit. Thread-safe. */
public final class OwnTransactions {

  private final @Nullable WorkerNotifier notifier;

  /** The references are soft: a notifier refers to its data source and would keep both forever. */
  private final Map<DataSource, SoftReference<Source>> sources = new WeakHashMap<>();

  /** What is known of a data source. */
  private record Source(WorkerNotifier notifier, Map<AutoCommitSession, GroupCommit> groups) {}

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
        new Transactions(dataSource, ServerDialect.MYSQL, TransactionProbe.NONE)
            .guarded()
            .ringing(source(dataSource).notifier());
    try {
      return transactions.run(transition, work);
    } catch (CommitOutcomeUnknownException e) {
      throw unknown(what, e);
    } catch (DatabaseUnavailableException e) {
      throw new EnqueueException("%s were not enqueued: %s".formatted(what, e.getMessage()), e);
    }
  }

  /**
   * Inserts {@code messages}, for which {@link MultiRowInsert#isEnoughFor one INSERT is enough},
   * without a transaction, and notifies workers.
   *
   * @param dueNow the number of messages of each topic to notify workers of
   * @return the ids in the messages' order; null if nothing was inserted, and {@link #run} must be
   *     used: the connection is in a transaction or its driver does not tell, or the server refused
   *     the statement
   * @throws EnqueueOutcomeUnknownException if the connection was lost after the INSERT was sent
   */
  @Nullable List<Long> insertAndCommit(
      DataSource dataSource, List<EncodedMessage> messages, Map<Topic, Integer> dueNow) {
    Source source = source(dataSource);
    try {
      return GroupCommit.write(
          dataSource, source.groups(), new GroupCommit.Call(messages, dueNow), source.notifier());
    } catch (CommitOutcomeUnknownException e) {
      throw unknown(messages.size() + " messages", e);
    }
  }

  private static EnqueueOutcomeUnknownException unknown(
      String what, CommitOutcomeUnknownException e) {
    return new EnqueueOutcomeUnknownException(
        "the outcome of the COMMIT of %s is unknown; all of them are in the queue, or none: %s"
            .formatted(what, e.getMessage()),
        e);
  }

  private Source source(DataSource dataSource) {
    synchronized (sources) {
      SoftReference<Source> known = sources.get(dataSource);
      Source source = known == null ? null : known.get();
      if (source == null) {
        source =
            new Source(
                notifier == null ? WorkerNotifier.over(dataSource) : notifier,
                new ConcurrentHashMap<>());
        sources.put(dataSource, new SoftReference<>(source));
      }
      return source;
    }
  }
}
