package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publications;
import io.rowqueue.internal.database.CheckedFunction;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Where a producer writes: in a transaction of its caller, or in one of its own. */
public sealed interface TxSource {

  /** In the transaction that {@code transaction} runs in. */
  static TxSource of(DSLContext transaction) {
    return new OfDsl(transaction);
  }

  /** In the transaction of {@code connection}. */
  static TxSource of(Connection connection) {
    return new OfConnection(connection);
  }

  /** In transactions of the producer's own. */
  static TxSource of(DataSource dataSource) {
    return new OfDataSource(dataSource);
  }

  /** The method of {@code producer} that writes there. */
  List<EnqueueResult> enqueueAllWithResults(
      MessageProducer producer, Collection<NewMessage> messages);

  /** The method of {@code producer} that publishes there. */
  Publications publishAll(MessageProducer producer, Collection<NewMessage> messages);

  /** Whether the producer begins and commits the transaction. */
  default boolean isOwn() {
    return this instanceof OfDataSource;
  }

  /** What notifies after the caller's transaction; null if nothing does. */
  default @Nullable AfterCommit afterCommit() {
    return null;
  }

  /**
   * Runs {@code work} on a connection: the caller's, or another one without a transaction.
   *
   * @throws EnqueueException if the database fails; its text begins with {@code refusal}
   */
  <T> T read(String refusal, CheckedFunction<Connection, T> work);

  /**
   * Runs {@code work} in the transaction.
   *
   * @throws IllegalStateException if the caller is in no transaction
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
   * What a call does.
   *
   * @param own for transactions of the producer's own
   * @param what it writes, for people: "3 messages"
   * @param refusal how the error begins if it fails in the caller's transaction
   */
  record Call(OwnTransactions own, Transition transition, String what, String refusal) {

    Call(OwnTransactions own, Transition transition, String what) {
      this(own, transition, what, what + " were not enqueued");
    }
  }

  /**
   * An open transaction.
   *
   * @param afterCommit what notifies after it; null if nothing does
   * @param within for producers that write in this transaction
   */
  record Session(Connection connection, @Nullable AfterCommit afterCommit, TxSource within) {}

  /** The caller's, by jOOQ. */
  record OfDsl(DSLContext dsl) implements TxSource {

    @Override
    public List<EnqueueResult> enqueueAllWithResults(
        MessageProducer producer, Collection<NewMessage> messages) {
      return producer.enqueueAllWithResults(dsl, messages);
    }

    @Override
    public Publications publishAll(MessageProducer producer, Collection<NewMessage> messages) {
      return producer.publishAll(dsl, messages);
    }

    @Override
    public @Nullable AfterCommit afterCommit() {
      return AfterCommit.of(dsl.configuration());
    }

    @Override
    public <T> T read(String refusal, CheckedFunction<Connection, T> work) {
      return dsl.connectionResult(connection -> TxSource.of(connection).read(refusal, work));
    }

    @Override
    public <T> T run(Call call, CheckedFunction<Session, T> work) {
      CallersTransaction.checkKept(dsl);
      return TxSource.super.run(call, work);
    }
  }

  /** The caller's, by JDBC. */
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

  /** The producer's own. */
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
        return work.apply(connection);
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
                      new Session(tx.connection(), tx.afterCommit(), TxSource.of(tx.dsl()))));
    }
  }
}
