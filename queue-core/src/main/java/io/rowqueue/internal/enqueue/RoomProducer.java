package io.rowqueue.internal.enqueue;

import io.rowqueue.EnqueueException;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Offer;
import io.rowqueue.Publications;
import io.rowqueue.Ring;
import io.rowqueue.Topic;
import io.rowqueue.TopicRoom;
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
public final class RoomProducer implements MessageProducer {

  private final MessageProducer producer;
  private final TopicRoom room;
  private final @Nullable Duration longest;

  /**
   * In front of {@code producer}.
   *
   * @param longest how long it waits; null if it refuses at once
   */
  public RoomProducer(MessageProducer producer, TopicRoom room, @Nullable Duration longest) {
    this.producer = producer;
    this.room = room;
    this.longest = longest;
  }

  @Override
  public MessageProducer ringing(Ring ring) {
    return new RoomProducer(producer.ringing(ring), room, longest);
  }

  @Override
  public MessageProducer wrapping(Wrapping wrapping) {
    return new RoomProducer(producer.wrapping(wrapping), room, longest);
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    return producer.encoded(message);
  }

  @Override
  public MessageProducer storing(BodyStore store, long from) {
    return new RoomProducer(producer.storing(store, from), room, longest);
  }

  @Override
  public List<Offer> offerAll(DSLContext transaction, Collection<NewMessage> messages) {
    checkInTransaction(messages);
    return producer.offerAll(transaction, messages);
  }

  @Override
  public List<Offer> offerAll(Connection connection, Collection<NewMessage> messages) {
    checkInTransaction(messages);
    return producer.offerAll(connection, messages);
  }

  @Override
  public List<Offer> offerAll(DataSource dataSource, Collection<NewMessage> messages) {
    check(messages);
    return producer.offerAll(dataSource, messages);
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
      subscribed = Subscribed.look(connection, messages).all();
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
      room.check(Subscribed.locked(connection, messages).all());
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
    room.check(topics(messages));
  }

  private void refuseToWait() {
    if (longest != null) {
      throw new IllegalStateException(
          "this producer waits for room, and whoever waits in a transaction holds its locks and"
              + " keeps the queue full; call TopicRoom.await before the transaction begins, or use"
              + " a producer that refuses");
    }
  }

  private void check(Collection<NewMessage> messages) {
    checkTopics(topics(messages));
  }

  private void checkTopics(List<Topic> topics) {
    if (longest != null) {
      await(topics, longest);
    }
    room.check(topics);
  }

  /** What has room by the time that another has got some, may have none any more. */
  private void await(List<Topic> topics, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    try {
      for (Topic topic : topics) {
        room.await(topic, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<Topic> topics(Collection<NewMessage> messages) {
    return messages.stream().map(NewMessage::topic).distinct().toList();
  }
}
