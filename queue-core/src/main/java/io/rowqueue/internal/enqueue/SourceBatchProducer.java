package io.rowqueue.internal.enqueue;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;

/** Converts the transaction parameters of a {@link BatchProducer} to a {@link TxSource}. */
public abstract class SourceBatchProducer implements BatchProducer {

  /** Opens a batch without members. */
  protected abstract MessageBatch open(TxSource source, BatchSettings settings);

  /** Adds {@code messages} to {@code batch}. */
  protected abstract List<MessageId> add(
      TxSource source, MessageBatch batch, List<NewMessage> messages);

  /** Closes {@code batch}; returns false if it is closed already or does not exist. */
  protected abstract boolean close(TxSource source, MessageBatch batch);

  /** Opens a batch, adds {@code messages} and closes it. */
  protected abstract MessageBatch enqueue(
      TxSource source, BatchSettings settings, List<NewMessage> messages);

  @Override
  public final MessageBatch open(Connection connection, BatchSettings settings) {
    return open(TxSource.of(connection), settings);
  }

  @Override
  public final MessageBatch open(DataSource dataSource, BatchSettings settings) {
    return open(TxSource.of(dataSource), settings);
  }

  @Override
  public final List<MessageId> add(
      Connection connection, MessageBatch batch, Collection<NewMessage> messages) {
    return add(TxSource.of(connection), batch, List.copyOf(messages));
  }

  @Override
  public final List<MessageId> add(
      DataSource dataSource, MessageBatch batch, Collection<NewMessage> messages) {
    return add(TxSource.of(dataSource), batch, List.copyOf(messages));
  }

  @Override
  public final boolean close(Connection connection, MessageBatch batch) {
    return close(TxSource.of(connection), batch);
  }

  @Override
  public final boolean close(DataSource dataSource, MessageBatch batch) {
    return close(TxSource.of(dataSource), batch);
  }

  @Override
  public final MessageBatch enqueue(
      Connection connection, BatchSettings settings, Collection<NewMessage> messages) {
    return enqueue(TxSource.of(connection), settings, List.copyOf(messages));
  }

  @Override
  public final MessageBatch enqueue(
      DataSource dataSource, BatchSettings settings, Collection<NewMessage> messages) {
    return enqueue(TxSource.of(dataSource), settings, List.copyOf(messages));
  }
}
