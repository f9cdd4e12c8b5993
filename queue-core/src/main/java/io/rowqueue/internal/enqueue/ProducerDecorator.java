package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publications;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.Wrapping;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;

/** A producer that delegates to another one. */
public abstract class ProducerDecorator extends SourceProducer {

  /** The producer that it delegates to. */
  protected final MessageProducer producer;

  private final UnaryOperator<MessageProducer> decoration;

  /**
   * Delegates to {@code producer}.
   *
   * @param decoration decorates another producer in this way
   */
  protected ProducerDecorator(MessageProducer producer, UnaryOperator<MessageProducer> decoration) {
    this.producer = producer;
    this.decoration = decoration;
  }

  @Override
  protected List<EnqueueResult> insert(TxSource source, Collection<NewMessage> messages) {
    return source.enqueueAllWithResults(producer, messages);
  }

  @Override
  protected Publications publish(TxSource source, Collection<NewMessage> messages) {
    return source.publishAll(producer, messages);
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    return producer.encoded(message);
  }

  @Override
  public final MessageProducer notifying(WorkerNotifier notifier) {
    return decoration.apply(producer.notifying(notifier));
  }

  @Override
  public final MessageProducer wrapping(Wrapping wrapping) {
    return decoration.apply(producer.wrapping(wrapping));
  }

  @Override
  public final MessageProducer storing(BodyStore store, long from) {
    return decoration.apply(producer.storing(store, from));
  }
}
