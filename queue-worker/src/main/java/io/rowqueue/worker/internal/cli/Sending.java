package io.rowqueue.worker.internal.cli;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** How messages of the command line go into the queue: as they are, or as copies. */
final class Sending {

  private final MessageProducer producer;
  private final boolean publish;
  private long copies;

  Sending(MessageProducer producer, boolean publish) {
    this.producer = producer;
    this.publish = publish;
  }

  String one(DataSource dataSource, NewMessage message) {
    if (!publish) {
      return told(
          producer.enqueueAllWithResults(dataSource, List.of(message)).get(0), message.topic());
    }
    String made =
        producer.publish(dataSource, message).copies().entrySet().stream()
            .map(copy -> "%s to %s".formatted(copy.getValue(), copy.getKey()))
            .collect(Collectors.joining(", "));
    return made.isEmpty()
        ? "message published under %s, to nobody".formatted(message.topic())
        : "message published under %s: %s".formatted(message.topic(), made);
  }

  private static String told(EnqueueResult offer, Topic topic) {
    return switch (offer.outcome()) {
      case INSERTED -> "message %s enqueued to %s".formatted(offer.id(), topic);
      case DUPLICATE ->
          "message %s of %s holds the key; nothing was enqueued".formatted(offer.id(), topic);
      case REPLACED ->
          "message %s of %s holds the key, and was replaced".formatted(offer.id(), topic);
    };
  }

  void all(DataSource dataSource, List<NewMessage> messages) {
    if (publish) {
      copies += producer.publishAll(dataSource, messages).copies();
    } else {
      producer.enqueueAll(dataSource, messages);
    }
  }

  void all(Connection connection, List<NewMessage> messages) {
    if (publish) {
      copies += producer.publishAll(connection, messages).copies();
    } else {
      producer.enqueueAll(connection, messages);
    }
  }

  String done(long messages, Topic topic) {
    return publish
        ? "%d messages published under %s: %d copies".formatted(messages, topic, copies)
        : "%d messages enqueued to %s".formatted(messages, topic);
  }

  /** Where the chunks of a file go: all in one transaction, or each in one of its own. */
  BulkEnqueue.Target target(DataSource dataSource, boolean atomic) {
    if (!atomic) {
      return chunk -> all(dataSource, chunk);
    }
    try {
      Connection connection = dataSource.getConnection();
      connection.setAutoCommit(false);
      return new OneTransaction(connection);
    } catch (SQLException e) {
      throw new EnqueueException("no transaction could be begun: " + e.getMessage(), e);
    }
  }

  /** Everything on one connection, until {@link #finish} commits. */
  private final class OneTransaction implements BulkEnqueue.Target {

    private final Connection connection;

    OneTransaction(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void write(List<NewMessage> chunk) {
      all(connection, chunk);
    }

    @Override
    public void finish() {
      try {
        connection.commit();
      } catch (SQLException e) {
        throw new EnqueueOutcomeUnknownException(
            "the commit was not answered (%s)".formatted(e.getMessage()), e);
      }
    }

    @Override
    public boolean keepsChunks() {
      return false;
    }

    /** The server rolls back what was not committed when the connection ends. */
    @Override
    public void close() {
      try (connection) {
        connection.rollback();
      } catch (SQLException e) {
        // The connection is lost, and the transaction with it.
        return;
      }
    }
  }
}
