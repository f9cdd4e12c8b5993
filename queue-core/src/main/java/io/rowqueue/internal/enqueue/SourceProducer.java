package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publications;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;

/** Converts the transaction parameters of a {@link MessageProducer} to a {@link TxSource}. */
public abstract class SourceProducer implements MessageProducer {

  /** Enqueues all of {@code messages}, or none. */
  protected abstract List<EnqueueResult> insert(TxSource source, Collection<NewMessage> messages);

  /** Publishes all of {@code messages}, or none. */
  protected abstract Publications publish(TxSource source, Collection<NewMessage> messages);

  @Override
  public final List<EnqueueResult> enqueueAllWithResults(
      Connection connection, Collection<NewMessage> messages) {
    return insert(TxSource.of(connection), messages);
  }

  @Override
  public final List<EnqueueResult> enqueueAllWithResults(
      DataSource dataSource, Collection<NewMessage> messages) {
    return insert(TxSource.of(dataSource), messages);
  }

  @Override
  public final Publications publishAll(Connection connection, Collection<NewMessage> messages) {
    return publish(TxSource.of(connection), messages);
  }

  @Override
  public final Publications publishAll(DataSource dataSource, Collection<NewMessage> messages) {
    return publish(TxSource.of(dataSource), messages);
  }
}
