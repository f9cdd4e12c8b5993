package io.rowqueue.worker.internal.cli;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Enqueues lines chunk by chunk and knows at every moment which of them are in. */
final class BulkEnqueue {

  private static final int CHUNK_MESSAGES = 1_000;

  /** Bounds the memory where lines are long. */
  private static final long CHUNK_BYTES = 8 << 20;

  private final MessageOptions.Template template;
  private final JsonLines lines;
  private final Target target;
  private final Progress progress;
  private final ShutdownReport shutdown;

  private long messages;
  private long lastLine;
  private long firstPending;
  private long lastPending;

  BulkEnqueue(
      MessageOptions.Template template,
      JsonLines lines,
      Target target,
      Progress progress,
      ShutdownReport shutdown) {
    this.template = template;
    this.lines = lines;
    this.target = target;
    this.progress = progress;
    this.shutdown = shutdown;
  }

  /**
   * Enqueues everything.
   *
   * @return how many messages that were
   * @throws CommandFailure if a line is refused or the database fails; it says which lines are in
   */
  long run() {
    try {
      for (List<NewMessage> chunk = chunk(); !chunk.isEmpty(); chunk = chunk()) {
        List<NewMessage> next = chunk;
        String unused = shutdown.step(whatIsIn(target.keepsChunks()), () -> write(next));
        progress.at(lines.bytesRead(), messages);
      }
      if (target.keepsChunks()) {
        target.finish();
      } else {
        String unused = shutdown.step(whatIsIn(true), this::finish);
      }
      return messages;
    } catch (QueueException e) {
      throw failure(e);
    } catch (IOException e) {
      throw failure(CommandFailure.failed("the file could not be read: " + e.getMessage(), e));
    }
  }

  private String write(List<NewMessage> chunk) {
    target.write(chunk);
    messages += chunk.size();
    lastLine = lastPending;
    return whatIsIn(false);
  }

  private String finish() {
    target.finish();
    return messages + " messages, the whole file, are in the queue";
  }

  private List<NewMessage> chunk() throws IOException {
    List<NewMessage> chunk = new ArrayList<>();
    long bytes = 0;
    while (chunk.size() < CHUNK_MESSAGES && bytes < CHUNK_BYTES) {
      JsonLines.Line line = lines.next();
      if (line == null) {
        break;
      }
      if (chunk.isEmpty()) {
        firstPending = line.number();
      }
      lastPending = line.number();
      bytes += line.json().length;
      chunk.add(template.message(line.json()));
    }
    return chunk;
  }

  private CommandFailure failure(QueueException cause) {
    return new CommandFailure(
        ExitCodes.of(cause),
        cause.getMessage() + "; " + whatIsIn(cause instanceof EnqueueOutcomeUnknownException),
        cause);
  }

  /** And how to go on; {@code unknown} is whether what is pending is. */
  private String whatIsIn(boolean unknown) {
    if (!target.keepsChunks()) {
      return unknown
          ? "either all %d messages are in the queue or none; check before you enqueue them again"
              .formatted(messages)
          : "nothing was enqueued";
    }
    String kept =
        lastLine == 0
            ? "nothing before was enqueued"
            : "%d messages, all up to line %d, are in the queue".formatted(messages, lastLine);
    return unknown
        ? "%s, and of lines %d to %d all are or none; check, then continue with --from-line %d or %d"
            .formatted(kept, firstPending, lastPending, firstPending, lastPending + 1)
        : lastLine == 0
            ? "nothing was enqueued"
            : "%s; continue with --from-line %d".formatted(kept, lastLine + 1);
  }

  /** Where the chunks of a file go. Not thread-safe. */
  interface Target extends AutoCloseable {

    void write(List<NewMessage> chunk);

    default void finish() {}

    /** Whether what was written stays, if a later chunk fails. */
    default boolean keepsChunks() {
      return true;
    }

    /** Undoes what is neither committed nor lost. */
    @Override
    default void close() {}
  }

  /** How messages of the command line go into the queue: as they are, or as copies. */
  static final class Sending {

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
          ? "message published under %s: no topic subscribes to it".formatted(message.topic())
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
}
