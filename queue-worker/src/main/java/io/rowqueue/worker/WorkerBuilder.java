package io.rowqueue.worker;

import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Module;
import com.google.inject.ProvisionException;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import com.google.inject.spi.Message;
import io.micrometer.core.instrument.MeterRegistry;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.handler.SubscriptionBinder;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.handle.HandlerBinding;
import io.rowqueue.internal.handle.HandlerKind;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Unwrapper;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.worker.internal.WorkerThreads;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Builds a {@link Worker} in an application's own process. Not thread-safe; the worker is.
 *
 * <pre>{@code
 * Worker worker =
 *     Worker.builder(dataSource)
 *         .handle("email.send", Email.class, (email, context) -> mailer.send(email))
 *         .threads(8)
 *         .start();
 * }</pre>
 */
public final class WorkerBuilder {

  private final List<Module> modules = new ArrayList<>();
  private WorkerConfig config;
  private PayloadCodec codec = PayloadCodec.json();

  WorkerBuilder(DatabaseConfig database) {
    config = WorkerConfig.defaults(database);
    modules.add(
        binder ->
            OptionalBinder.newOptionalBinder(binder, PayloadCodec.class)
                .setBinding()
                .toInstance(codec));
  }

  /** Binds {@code handler} to {@code topic}; {@code byte[].class} gives it the raw bytes. */
  public <P> WorkerBuilder handle(String topic, Class<P> payload, MessageHandler<P> handler) {
    return bind(topic, payload, handler, UnaryOperator.identity());
  }

  /** Binds {@code handler} to {@code topic}, with changes of the default settings. */
  public <P> WorkerBuilder handle(
      String topic,
      Class<P> payload,
      MessageHandler<P> handler,
      UnaryOperator<HandlerSettings> settings) {
    return bind(topic, payload, handler, settings);
  }

  /** Binds {@code handler}, which takes many messages a call, to {@code topic}. */
  public <P> WorkerBuilder handleBatch(String topic, Class<P> payload, BatchHandler<P> handler) {
    return bind(topic, payload, handler, UnaryOperator.identity());
  }

  /** Binds a batch handler, with changes of the default settings. */
  public <P> WorkerBuilder handleBatch(
      String topic,
      Class<P> payload,
      BatchHandler<P> handler,
      UnaryOperator<HandlerSettings> settings) {
    return bind(topic, payload, handler, settings);
  }

  /**
   * Binds {@code handler}, which returns a result, to {@code topic}.
   *
   * @param settings with {@link HandlerSettings#withResults}, or results are discarded
   */
  public <P> WorkerBuilder handleWithResult(
      String topic,
      Class<P> payload,
      ResultHandler<P, ?> handler,
      UnaryOperator<HandlerSettings> settings) {
    return bind(topic, payload, handler, settings);
  }

  /**
   * Binds a handler of any kind, whose payload type may be generic. The type is not checked against
   * the handler's.
   */
  public WorkerBuilder bind(
      String topic, Type payload, Handler<?> handler, UnaryOperator<HandlerSettings> settings) {
    return module(
        binder -> {
          Class<?> type = handler.getClass();
          try {
            new HandlerBinding(
                    new Topic(topic),
                    () -> handler,
                    HandlerKind.of(type),
                    payload,
                    settings.apply(HandlerSettings.defaults().withCodec(codec)),
                    type.getName())
                .addTo(binder);
          } catch (RuntimeException e) {
            binder.addError("cannot bind a handler to topic '%s': %s", topic, e.getMessage());
          }
        });
  }

  /** Sets the number of handler threads; 16 by default. */
  public WorkerBuilder threads(int threads) {
    return configure(settings -> settings.withThreads(threads));
  }

  /** Claims only these of the topics with a handler. */
  public WorkerBuilder topics(String... topics) {
    return configure(
        settings ->
            settings.withTopics(
                Arrays.stream(topics).map(Topic::new).collect(Collectors.toUnmodifiableSet())));
  }

  /** Changes any of the worker's settings. */
  public WorkerBuilder configure(UnaryOperator<WorkerConfig> change) {
    config = change.apply(config);
    return this;
  }

  /**
   * Sets the codec of the bindings without one of their own, of schedules, and of messages that
   * handlers add to batches; JSON by default. Producers of the application have their own.
   */
  public WorkerBuilder codec(PayloadCodec other) {
    codec = other;
    return this;
  }

  /** Adds an interceptor around every handling; the first added is the outermost. */
  public WorkerBuilder interceptor(HandlerInterceptor interceptor) {
    return module(
        binder ->
            Multibinder.newSetBinder(binder, HandlerInterceptor.class)
                .addBinding()
                .toInstance(interceptor));
  }

  /** Adds a store from which payloads are read that are not in the table. */
  public WorkerBuilder bodyStore(BodyStore store) {
    return module(
        binder -> Multibinder.newSetBinder(binder, BodyStore.class).addBinding().toInstance(store));
  }

  /** Allows the worker to unwrap payloads with these, on every topic. */
  public WorkerBuilder unwrapWith(Unwrapper... unwrappers) {
    return module(binder -> WrapperBinder.allow(binder, unwrappers));
  }

  /** Sets the wrappers of what handlers and schedules enqueue. */
  public WorkerBuilder wrap(Wrapping wrapping) {
    return module(binder -> WrapperBinder.wrap(binder, wrapping));
  }

  /** Declares a schedule, which the worker sets when it starts. */
  public WorkerBuilder schedule(Schedule schedule) {
    return module(binder -> ScheduleBinder.bind(binder, schedule));
  }

  /** Declares that {@code topic} gets a copy of each message published under {@code source}. */
  public WorkerBuilder subscribe(String source, String topic) {
    return module(binder -> SubscriptionBinder.bind(binder, source, topic));
  }

  /**
   * Registers the worker's meters, which {@code docs/reference/metrics.md} lists, in {@code
   * registry}, and removes its gauges when it ends. Gauges of the database are read every 15 s. The
   * registry stays open. A second running worker of a registry is refused at its start: give each
   * its own, with a common tag.
   */
  public WorkerBuilder meters(MeterRegistry registry) {
    return module(new MetricsModule(registry));
  }

  /**
   * Runs transactional handlers in transactions of {@code source}, and not in those of the worker's
   * own data source: for frameworks that manage transactions. RowQueue calls for each handling, on
   * the handler's thread and in this order,
   *
   * <ol>
   *   <li>{@code getConnection}, which may begin the framework's transaction; auto-commit is off
   *       then, and the isolation level READ COMMITTED;
   *   <li>the handler, and the deletion of its message over the connection;
   *   <li>{@code commit} or {@code rollback} of the connection, once, which may end the framework's
   *       transaction, also if it throws;
   *   <li>{@code close}.
   * </ol>
   *
   * <p>Another thread may call {@code abort} before the third step, when the handler exceeds its
   * timeout, and later {@code close}, when the handler does not end: it may return the connection
   * to its pool, and must leave the framework's transaction to the third step. If {@code commit}
   * throws a {@code SQLException}, or a {@code RuntimeException} that one caused, it counts as the
   * failure of a COMMIT: it may be repeated, or have an unknown outcome. Any other {@code
   * RuntimeException} says that the framework has rolled back, and counts as the handler's failure.
   * {@code getConnection} and {@code commit} are refused or repeated as a whole: the handler then
   * runs again in another transaction.
   *
   * <p>A statement through {@code context.connection()} that changes the session, such as {@code
   * SET} or {@code GET_LOCK}, is refused: the connection goes back to its pool with the commit.
   *
   * <p>Statements need not go through {@code context.connection()}. So the messages of such a
   * handler never share a commit, and {@link HandlerSettings#withSharedCommit} is refused: one
   * message's statements could not be undone without the others'. A handler that ends the
   * transaction, for example by DDL, is detected by a savepoint at its beginning, and its message
   * becomes a dead letter. So does the message of a handler that catches the exception of a
   * deadlock and returns normally, because the server has then ended the transaction.
   */
  public WorkerBuilder handlerConnections(DataSource source) {
    return module(
        binder ->
            OptionalBinder.newOptionalBinder(binder, WorkerModule.MANAGED)
                .setBinding()
                .toInstance(source));
  }

  /**
   * Runs handlers on threads of {@code factory}, for example on Java 21 {@code
   * Thread.ofVirtual().factory()}. {@link #threads} limits how many run at once, since each may
   * hold a connection.
   */
  public WorkerBuilder handlerThreads(ThreadFactory factory) {
    return module(
        binder ->
            OptionalBinder.newOptionalBinder(binder, WorkerThreads.FACTORY)
                .setBinding()
                .toInstance(factory));
  }

  /** Adds modules of Guice, for what has no method here. */
  public WorkerBuilder module(Module... others) {
    modules.addAll(Arrays.asList(others));
    return this;
  }

  /** Returns the bindings, for a worker of the testkit. */
  public Module bindings() {
    return binder -> modules.forEach(binder::install);
  }

  /**
   * Builds the worker; does not connect.
   *
   * @throws QueueException if the bindings are wrong
   */
  public Worker build() {
    List<Module> all = new ArrayList<>(modules);
    all.add(new WorkerModule(config));
    try {
      return Guice.createInjector(all).getInstance(Worker.class);
    } catch (CreationException e) {
      throw failure(e, e.getErrorMessages());
    } catch (ProvisionException e) {
      throw failure(e, e.getErrorMessages());
    }
  }

  /**
   * Builds the worker and starts it.
   *
   * @throws QueueException if the bindings are wrong, or as {@link Worker#start} does
   */
  public Worker start() {
    Worker worker = build();
    worker.start();
    return worker;
  }

  private static QueueException failure(RuntimeException failure, Collection<Message> messages) {
    return messages.stream()
        .map(Message::getCause)
        .filter(QueueException.class::isInstance)
        .map(QueueException.class::cast)
        .findFirst()
        .orElseGet(
            () ->
                new HandlerConfigurationException(
                    messages.stream().map(Message::getMessage).collect(Collectors.joining("; ")),
                    failure));
  }
}
