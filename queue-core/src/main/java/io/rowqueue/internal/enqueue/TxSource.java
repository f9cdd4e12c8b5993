package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publications;
import io.rowqueue.internal.database.AutoCommitSession;
import io.rowqueue.internal.database.CheckedFunction;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The transaction that a producer writes in: its caller's, or one of its own. */
public sealed interface TxSource {

  /** The caller's transaction on {@code connection}. */
  static TxSource of(Connection connection) {
    return new OfConnection(connection);
  }

  /** Transactions of the producer's own, on connections of {@code dataSource}. */
  static TxSource of(DataSource dataSource) {
    return new OfDataSource(dataSource);
  }

  /** Enqueues {@code messages} by {@code producer} in this transaction. */
  List<EnqueueResult> enqueueAllWithResults(
      MessageProducer producer, Collection<NewMessage> messages);

  /** Publishes {@code messages} by {@code producer} in this transaction. */
  Publications publishAll(MessageProducer producer, Collection<NewMessage> messages);

  /** Whether the producer begins and commits the transaction. */
  default boolean isOwn() {
    return this instanceof OfDataSource;
  }

  /** Notifies workers after the caller's commit; null without notifications. */
  default @Nullable AfterCommit afterCommit() {
    return null;
  }

  /**
   * Runs {@code work} on the caller's connection, or on a new one without a transaction.
   *
   * @throws EnqueueException if the database fails; its message begins with {@code refusal}
   */
  <T> T read(String refusal, CheckedFunction<Connection, T> work);

  /**
   * Runs {@code work} in the transaction.
   *
   * @throws IllegalStateException if the caller is not in a transaction
   * @throws EnqueueException if the database fails
   */
  default <T> T run(Call call, CheckedFunction<Session, T> work) {
    return read(
        call.refusal(),
        connection -> {
          CallersTransaction.check(connection);
          return work.apply(new Session(connection, afterCommit(), this));
        });
  }

  private static EnqueueException refused(String refusal, SQLException e) {
    return new EnqueueException(
        "%s: %s%s".formatted(refusal, e.getMessage(), ServerAnswer.advice(e)), e);
  }

  /**
   * Describes a call.
   *
   * @param own runs the producer's own transactions
   * @param what describes the rows in an error: "3 messages"
   * @param refusal the start of the error message if the caller's transaction fails
   */
  record Call(OwnTransactions own, Transition transition, String what, String refusal) {

    Call(OwnTransactions own, Transition transition, String what) {
      this(own, transition, what, what + " were not enqueued");
    }
  }

  /**
   * An open transaction.
   *
   * @param afterCommit notifies workers after its commit; null without notifications
   * @param within lets other producers write in this transaction
   */
  record Session(Connection connection, @Nullable AfterCommit afterCommit, TxSource within) {}

  /** The caller's transaction, by JDBC. */
  record OfConnection(Connection connection) implements TxSource {

    @Override
    public List<EnqueueResult> enqueueAllWithResults(
        MessageProducer producer, Collection<NewMessage> messages) {
      return producer.enqueueAllWithResults(connection, messages);
    }

    @Override
    public Publications publishAll(MessageProducer producer, Collection<NewMessage> messages) {
      return producer.publishAll(connection, messages);
    }

    @Override
    public @Nullable AfterCommit afterCommit() {
      return AfterCommit.of(connection);
    }

    @Override
    public <T> T read(String refusal, CheckedFunction<Connection, T> work) {
      try {
        return work.apply(connection);
      } catch (SQLException e) {
        throw TxSource.refused(refusal, e);
      }
    }
  }

  /** The producer's own transactions. */
  record OfDataSource(DataSource dataSource) implements TxSource {

    @Override
    public List<EnqueueResult> enqueueAllWithResults(
        MessageProducer producer, Collection<NewMessage> messages) {
      return producer.enqueueAllWithResults(dataSource, messages);
    }

    @Override
    public Publications publishAll(MessageProducer producer, Collection<NewMessage> messages) {
      return producer.publishAll(dataSource, messages);
    }

    @Override
    public <T> T read(String refusal, CheckedFunction<Connection, T> work) {
      try (Connection connection = dataSource.getConnection()) {
        return AutoCommitSession.readInAutoCommit(connection, work);
      } catch (SQLException e) {
        throw TxSource.refused(refusal, e);
      }
    }

    @Override
    public <T> T run(Call call, CheckedFunction<Session, T> work) {
      return call.own()
          .run(
              dataSource,
              call.transition(),
              call.what(),
              tx ->
                  work.apply(
                      new Session(
                          tx.connection(),
                          tx.afterCommit(),
                          TxSource.of(tx.connectionForProducers()))));
    }
  }
}
