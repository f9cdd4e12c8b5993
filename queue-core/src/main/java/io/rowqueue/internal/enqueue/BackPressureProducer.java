package io.rowqueue.internal.enqueue;

import io.rowqueue.BackPressure;
import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Asks whether there is room before anything is encoded or sent. */
public final class BackPressureProducer implements MessageProducer {

  private final MessageProducer producer;
  private final BackPressure capacity;
  private final @Nullable Duration longest;

  /**
   * In front of {@code producer}.
   *
   * @param longest how long it waits; null if it refuses at once
   */
  public BackPressureProducer(
      MessageProducer producer, BackPressure capacity, @Nullable Duration longest) {
    this.producer = producer;
    this.capacity = capacity;
    this.longest = longest;
  }

  @Override
  public MessageProducer notifying(WorkerNotifier notifier) {
    return new BackPressureProducer(producer.notifying(notifier), capacity, longest);
  }

  @Override
  public MessageProducer wrapping(Wrapping wrapping) {
    return new BackPressureProducer(producer.wrapping(wrapping), capacity, longest);
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    return producer.encoded(message);
  }

  @Override
  public MessageProducer storing(BodyStore store, long from) {
    return new BackPressureProducer(producer.storing(store, from), capacity, longest);
  }

  @Override
  public List<EnqueueResult> enqueueAllWithResults(
      DSLContext transaction, Collection<NewMessage> messages) {
    checkInTransaction(messages);
    return producer.enqueueAllWithResults(transaction, messages);
  }

  @Override
  public List<EnqueueResult> enqueueAllWithResults(
      Connection connection, Collection<NewMessage> messages) {
    checkInTransaction(messages);
    return producer.enqueueAllWithResults(connection, messages);
  }

  @Override
  public List<EnqueueResult> enqueueAllWithResults(
      DataSource dataSource, Collection<NewMessage> messages) {
    check(messages);
    return producer.enqueueAllWithResults(dataSource, messages);
  }

  @Override
  public Publications publishAll(DSLContext transaction, Collection<NewMessage> messages) {
    transaction.connection(connection -> checkSubscribed(connection, messages));
    return producer.publishAll(transaction, messages);
  }

  @Override
  public Publications publishAll(Connection connection, Collection<NewMessage> messages) {
    checkSubscribed(connection, messages);
    return producer.publishAll(connection, messages);
  }

  /** A topic that is subscribed between the look and the lock is judged next time. */
  @Override
  public Publications publishAll(DataSource dataSource, Collection<NewMessage> messages) {
    List<Topic> subscribed;
    try (Connection connection = dataSource.getConnection()) {
      subscribed = Subscribed.read(connection, messages).all();
    } catch (SQLException e) {
      throw unreadable(e);
    }
    checkTopics(subscribed);
    return producer.publishAll(dataSource, messages);
  }

  /** The topics of copies are known only behind the source's lock, which the transaction keeps. */
  private void checkSubscribed(Connection connection, Collection<NewMessage> messages) {
    refuseToWait();
    try {
      capacity.check(Subscribed.locked(connection, messages).all());
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  private static EnqueueException unreadable(SQLException e) {
    return new EnqueueException(
        "nothing was published, its subscriptions cannot be read: %s%s"
            .formatted(e.getMessage(), ServerAnswer.advice(e)),
        e);
  }

  private void checkInTransaction(Collection<NewMessage> messages) {
    refuseToWait();
    capacity.check(topics(messages));
  }

  private void refuseToWait() {
    if (longest != null) {
      throw new IllegalStateException(
          "this producer waits for room, and whoever waits in a transaction holds its locks and"
              + " keeps the queue full; call BackPressure.await before the transaction begins, or"
              + " use a producer that refuses");
    }
  }

  private void check(Collection<NewMessage> messages) {
    checkTopics(topics(messages));
  }

  private void checkTopics(List<Topic> topics) {
    if (longest != null) {
      await(topics, longest);
    }
    capacity.check(topics);
  }

  /** What has room by the time that another has got some, may have none any more. */
  private void await(List<Topic> topics, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    try {
      for (Topic topic : topics) {
        capacity.await(topic, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<Topic> topics(Collection<NewMessage> messages) {
    return messages.stream().map(NewMessage::topic).distinct().toList();
  }
}
