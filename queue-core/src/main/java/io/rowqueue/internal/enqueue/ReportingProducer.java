package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.PublicationListener;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jooq.DSLContext;

/** Tells of publications without a copy. What is enqueued is none of its business. */
public final class ReportingProducer implements MessageProducer {

  private final MessageProducer producer;
  private final PublicationListener watch;

  public ReportingProducer(MessageProducer producer, PublicationListener watch) {
    this.producer = producer;
    this.watch = watch;
  }

  @Override
  public MessageProducer notifying(WorkerNotifier notifier) {
    return new ReportingProducer(producer.notifying(notifier), watch);
  }

  @Override
  public MessageProducer wrapping(Wrapping wrapping) {
    return new ReportingProducer(producer.wrapping(wrapping), watch);
  }

  @Override
  public MessageProducer storing(BodyStore store, long from) {
    return new ReportingProducer(producer.storing(store, from), watch);
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    return producer.encoded(message);
  }

  @Override
  public List<EnqueueResult> enqueueAllWithResults(
      DSLContext transaction, Collection<NewMessage> messages) {
    return producer.enqueueAllWithResults(transaction, messages);
  }

  @Override
  public List<EnqueueResult> enqueueAllWithResults(
      Connection connection, Collection<NewMessage> messages) {
    return producer.enqueueAllWithResults(connection, messages);
  }

  @Override
  public List<EnqueueResult> enqueueAllWithResults(
      DataSource dataSource, Collection<NewMessage> messages) {
    return producer.enqueueAllWithResults(dataSource, messages);
  }

  @Override
  public Publications publishAll(DSLContext transaction, Collection<NewMessage> messages) {
    return told(producer.publishAll(transaction, messages));
  }

  @Override
  public Publications publishAll(Connection connection, Collection<NewMessage> messages) {
    return told(producer.publishAll(connection, messages));
  }

  @Override
  public Publications publishAll(DataSource dataSource, Collection<NewMessage> messages) {
    return told(producer.publishAll(dataSource, messages));
  }

  private Publications told(Publications made) {
    Map<Topic, Integer> lost = new TreeMap<>();
    for (Publication each : made.all()) {
      if (each.copies().isEmpty()) {
        lost.merge(each.source(), 1, Integer::sum);
      }
    }
    lost.forEach(watch::publishedToNobody);
    return made;
  }
}
