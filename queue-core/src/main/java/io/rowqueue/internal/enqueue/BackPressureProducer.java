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
import org.jspecify.annotations.Nullable;

/** Asks whether there is room before anything is encoded or sent. */
public final class BackPressureProducer extends ProducerDecorator {

  private static final String UNREADABLE =
      "nothing was published, its subscriptions cannot be read";

  private final BackPressure backPressure;
  private final @Nullable Duration longest;

  /**
   * In front of {@code producer}.
   *
   * @param longest how long it waits; null if it refuses at once
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
   * The topics of copies are known only behind the source's lock, which the caller's transaction
   * keeps. Before a transaction of its own, a topic that is subscribed between the read and the
   * lock is judged next time.
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
          "this producer waits for capacity, and a transaction that waits holds its locks and"
              + " keeps the queue full; call BackPressure.await before the transaction begins, or"
              + " use a producer that refuses");
    }
  }

  private void check(List<Topic> topics) {
    if (longest != null) {
      await(topics, longest);
    }
    backPressure.check(topics);
  }

  /** What has room by the time that another has got some, may have none any more. */
  private void await(List<Topic> topics, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    try {
      for (Topic topic : topics) {
        backPressure.await(topic, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
