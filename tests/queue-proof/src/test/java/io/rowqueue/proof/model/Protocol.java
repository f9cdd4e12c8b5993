package io.rowqueue.proof.model;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.ClaimSettings;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.proof.model.Takings.Strategy;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The real components of the core, with nothing of theirs replaced, over connections whose clock
 * the play moves.
 */
final class Protocol implements TransactionProbe, AutoCloseable {

  /** The thread knows which play it is of. */
  private static final MessageHandler<Parcel> HANDLER =
      (parcel, context) -> ((HandlerThread) Thread.currentThread()).handle(context);

  private final SteppedConnections connections;
  private final Injector core;
  private final Map<Strategy, ClaimStrategy> strategies = new EnumMap<>(Strategy.class);
  private int repetitions;

  Protocol(QueueDatabase database) {
    this.connections = new SteppedConnections(database);
    this.core = core(ClaimSettings.defaults());
    for (Strategy strategy : Strategy.values()) {
      strategies.put(strategy, core(strategy.settings()).getInstance(ClaimStrategy.class));
    }
  }

  private Injector core(ClaimSettings settings) {
    return Guice.createInjector(
        new QueueCoreModule(),
        new CoreModuleSettings(),
        LambdaHandlers.bind(World.TOPICS.get(0).name(), Parcel.class, HANDLER),
        LambdaHandlers.bind(World.TOPICS.get(1).name(), Parcel.class, HANDLER),
        binder ->
            OptionalBinder.newOptionalBinder(binder, ClaimSettings.class)
                .setBinding()
                .toInstance(settings));
  }

  /** A component's public face. */
  <T> T get(Class<T> type) {
    return core.getInstance(type);
  }

  ClaimStrategy strategy(Strategy strategy) {
    return Objects.requireNonNull(strategies.get(strategy));
  }

  /** A producer that notifies nobody, since nobody listens. */
  MessageProducer producer() {
    // Large payloads stay in their rows: what a claim leaves to be loaded is part of the model.
    MessageLimits inTheRow = MessageLimits.defaults().withBodyAbove(1 << 20);
    return MessageProducer.create(PayloadCodec.json(), inTheRow).notifying(WorkerNotifier.SILENT);
  }

  SteppedConnections connections() {
    return connections;
  }

  /** How many transactions were rolled back and ran again since this was asked last. */
  int takeRepetitions() {
    int since = repetitions;
    repetitions = 0;
    return since;
  }

  @Override
  public void beforeCommit(Transition transition) {
    if (Thread.currentThread() instanceof HandlerThread handler) {
      handler.beforeCommit(transition);
    }
  }

  @Override
  public void repeated(Transition transition, Throwable cause) {
    repetitions++;
  }

  @Override
  public void close() throws SQLException {
    connections.close();
  }

  /** A payload, with filler where it shall be too large to be claimed along. */
  record Parcel(int number, String filler) {}

  private final class CoreModuleSettings extends AbstractModule {

    @Override
    protected void configure() {
      bind(HandlerDefaults.class)
          .toInstance(
              HandlerDefaults.defaults()
                  .withMaxAttempts(Model.MAX_ATTEMPTS)
                  .withTimeout(Duration.ofHours(1))
                  .withRetryPolicy(RetryPolicy.fixed(Model.BACKOFF)));
      bind(MessageLimits.class).toInstance(MessageLimits.defaults());
    }

    @Provides
    @Singleton
    Transactions transactions() throws SQLException {
      try (Connection connection = connections.lend()) {
        return new Transactions(
            connections.dataSource(), ServerDialect.of(connection), Protocol.this);
      }
    }

    @Provides
    @HandlerConnections
    Transactions handlers(Transactions transactions) {
      return transactions;
    }
  }
}
