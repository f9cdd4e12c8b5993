package io.rowqueue.internal.enqueue;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Reports publications without subscribers to a {@link PublicationListener}. */
public final class ReportingProducer extends ProducerDecorator {

  private final PublicationListener watch;

  public ReportingProducer(MessageProducer producer, PublicationListener watch) {
    super(producer, other -> new ReportingProducer(other, watch));
    this.watch = watch;
  }

  @Override
  protected Publications publish(TxSource source, Collection<NewMessage> messages) {
    Publications made = super.publish(source, messages);
    Map<Topic, Integer> lost = new TreeMap<>();
    for (Publication each : made.all()) {
      if (each.copies().isEmpty()) {
        lost.merge(each.source(), 1, Integer::sum);
      }
    }
    if (!lost.isEmpty()) {
      AfterCommit.run(() -> lost.forEach(watch::publishedWithoutSubscribers));
    }
    return made;
  }
}
