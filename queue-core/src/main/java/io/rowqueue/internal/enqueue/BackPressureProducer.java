package io.rowqueue.internal.enqueue;

import io.rowqueue.BackPressure;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Checks the topics' back-pressure limits before anything is encoded or sent. */
public final class BackPressureProducer extends ProducerDecorator {

  private static final String UNREADABLE =
      "nothing was published: the subscriptions cannot be read";

  private final BackPressure backPressure;
  private final @Nullable Duration longest;

  /**
   * Checks before each call of {@code producer}.
   *
   * @param longest the maximum wait for capacity; null to refuse at once
   */
  public BackPressureProducer(
      MessageProducer producer, BackPressure backPressure, @Nullable Duration longest) {
    super(producer, other -> new BackPressureProducer(other, backPressure, longest));
    this.backPressure = backPressure;
    this.longest = longest;
  }

  @Override
  protected List<EnqueueResult> insert(TxSource source, Collection<NewMessage> messages) {
    refuseToWaitIn(source);
    check(messages.stream().map(NewMessage::topic).distinct().toList());
    return super.insert(source, messages);
  }

  /**
   * The topics of the copies are certain only under the source's lock, which the caller's
   * transaction holds until it ends. A producer with its own transaction reads them without the
   * lock: a topic that is subscribed in between is not checked until the next call.
   */
  @Override
  protected Publications publish(TxSource source, Collection<NewMessage> messages) {
    refuseToWaitIn(source);
    check(
        source.read(
            UNREADABLE,
            connection ->
                source.isOwn()
                    ? Subscribed.read(connection, messages).all()
                    : Subscribed.locked(connection, messages).all()));
    return super.publish(source, messages);
  }

  private void refuseToWaitIn(TxSource source) {
    if (longest != null && !source.isOwn()) {
      throw new IllegalStateException(
          "this producer waits for capacity, and an open transaction would hold its locks during"
              + " the wait; call BackPressure.await before the transaction begins, or use a"
              + " producer that refuses at once");
    }
  }

  private void check(List<Topic> topics) {
    if (longest != null) {
      await(topics, longest);
    }
    backPressure.check(topics);
  }

  /**
   * Does not guarantee capacity: a topic may reach its limit again while the next one is awaited.
   */
  private void await(List<Topic> topics, Duration atMost) {
    long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(atMost);
    try {
      for (Topic topic : topics) {
        backPressure.await(topic, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
