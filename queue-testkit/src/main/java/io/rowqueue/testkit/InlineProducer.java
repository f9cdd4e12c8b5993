package io.rowqueue.testkit;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.util.Modules;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Publications;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;

/**
 * A producer whose messages are processed immediately, in the enqueuing transaction: the handlers'
 * writes commit or roll back with it. Messages that are due later, have an ordering key or have no
 * handler here stay in the queue. Messages enqueued by handlers are processed in the same way.
 * Confined to one thread.
 *
 * <p>If a handler fails, the call throws, since the message is not retried in this mode; test
 * failures with a {@link TestWorker}.
 */
public final class InlineProducer implements MessageProducer {

  private final InlineConnection inline;
  private final Injector parts;
  private final MessageProducer real;

  private InlineProducer(QueueDatabase database, List<Module> team) {
    this.inline = new InlineConnection(dialect(database));
    Module core = Modules.override(new QueueCoreModule()).with(new Inline());
    List<Module> all = new ArrayList<>(List.of(core));
    all.addAll(team);
    this.parts = Guice.createInjector(all);
    this.real =
        MessageProducer.create(parts.getInstance(PayloadCodec.class), MessageLimits.defaults())
            .notifying(WorkerNotifier.SILENT)
            .wrapping(Wrapping.all(parts.getInstance(InlineConnection.WRAPPINGS)));
  }

  /** Creates a producer with the handlers of {@code modules}. */
  public static InlineProducer of(QueueDatabase database, Module... modules) {
    return new InlineProducer(database, List.of(modules));
  }

  @Override
  public List<EnqueueResult> enqueueAllWithResults(
      Connection connection, Collection<NewMessage> messages) {
    List<EnqueueResult> offers = real.enqueueAllWithResults(connection, messages);
    List<MessageId> ids = new ArrayList<>();
    offers.forEach(offer -> ids.add(offer.id()));
    handle(connection, ids);
    return offers;
  }

  @Override
  public List<EnqueueResult> enqueueAllWithResults(
      DataSource dataSource, Collection<NewMessage> messages) {
    return inTransaction(dataSource, connection -> enqueueAllWithResults(connection, messages));
  }

  @Override
  public Publications publishAll(Connection connection, Collection<NewMessage> messages) {
    Publications made = real.publishAll(connection, messages);
    List<MessageId> ids = new ArrayList<>();
    for (Publication each : made.all()) {
      ids.addAll(each.copies().values());
    }
    handle(connection, ids);
    return made;
  }

  @Override
  public Publications publishAll(DataSource dataSource, Collection<NewMessage> messages) {
    return inTransaction(dataSource, connection -> publishAll(connection, messages));
  }

  /** There is no worker to notify. */
  @Override
  public MessageProducer notifying(WorkerNotifier notifier) {
    return this;
  }

  /**
   * Not supported: wrappers come from the modules.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public MessageProducer wrapping(Wrapping wrapping) {
    throw new UnsupportedOperationException("bind the wrapping in a module, by WrapperBinder");
  }

  /**
   * Not supported: an external store does not take part in the transaction.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public MessageProducer storing(BodyStore store, long from) {
    throw new UnsupportedOperationException("test payloads in a store with a LiveWorker");
  }

  @Override
  public NewMessage encoded(NewMessage message) {
    return real.encoded(message);
  }

  private void handle(Connection connection, List<MessageId> ids) {
    try {
      for (MessageId id : ids) {
        inline.handle(connection, id, parts);
      }
    } catch (SQLException e) {
      throw new TestServerException("a message could not be handled inline: " + e.getMessage(), e);
    }
  }

  private interface Work<T> {
    T in(Connection connection);
  }

  private static <T> T inTransaction(DataSource dataSource, Work<T> work) {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.in(connection);
        connection.commit();
        return result;
      } catch (RuntimeException | Error e) {
        connection.rollback();
        throw e;
      }
    } catch (SQLException e) {
      throw new TestServerException("the transaction failed: " + e.getMessage(), e);
    }
  }

  static ServerDialect dialect(QueueDatabase database) {
    try (Connection connection = database.connect()) {
      return ServerDialect.of(connection);
    } catch (SQLException e) {
      throw new TestServerException("the test server does not answer: " + e.getMessage(), e);
    }
  }

  /** The core's components on the producer's connection. */
  private final class Inline extends AbstractModule {

    @Override
    protected void configure() {
      bind(HandlerDefaults.class).toInstance(HandlerDefaults.defaults());
      bind(MessageLimits.class).toInstance(MessageLimits.defaults());
      bind(MessageProducer.class).toInstance(InlineProducer.this);
    }

    @Provides
    @Singleton
    Transactions transactions(TransactionProbe probe) {
      return new Transactions(inline.dataSource(), inline.dialect(), probe);
    }

    @Provides
    @Singleton
    @HandlerConnections
    Transactions handlerTransactions(Transactions transactions) {
      return transactions;
    }
  }
}
