package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.Drainer.QueueDrainer;
import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The worker as it is shipped, with the defaults but for what its binding says. */
final class RowQueueDrainer extends QueueDrainer {

  /** As many connections as a floor has. */
  static final int THREADS = 16;

  private final List<Module> modules;
  private final AtomicReference<@Nullable Progress> progress;
  private final Fill fill;

  private RowQueueDrainer(
      String name,
      QueueTable table,
      List<Module> modules,
      AtomicReference<@Nullable Progress> progress,
      Fill fill) {
    super(name, table);
    this.modules = modules;
    this.progress = progress;
    this.fill = fill;
  }

  /** How the messages of a round come into the queue. */
  @FunctionalInterface
  interface Fill {

    /** Enqueues so many, or what so many will follow from. */
    void enqueue(int messages) throws Exception;
  }

  /** With a handler for one message at a time, in the transaction that {@code settings} say. */
  static Drainer single(
      String name, QueueDatabase database, Effect effect, HandlerSettings settings) {
    effect.prepare(database);
    return doing(
        name,
        new QueueTable(database),
        settings,
        (work, context) -> {
          if (effect != Effect.NONE) {
            effect.happen(context.connection(), work.number());
          }
        });
  }

  /** With a handler that does {@code deed}. */
  static RowQueueDrainer doing(
      String name, QueueTable table, HandlerSettings settings, MessageHandler<Work> deed) {
    AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
    Module binding =
        LambdaHandlers.bind(
            QueueTable.TOPIC,
            Work.class,
            (work, context) -> {
              deed.handle(work, context);
              done(progress, 1);
            },
            settings);
    return new RowQueueDrainer(name, table, List.of(binding), progress, table::fill);
  }

  /** With a handler that takes another payload, and does nothing with it. */
  static RowQueueDrainer taking(
      Class<?> payload, String name, QueueTable table, HandlerSettings settings) {
    AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
    Module binding =
        LambdaHandlers.bind(
            QueueTable.TOPIC, payload, (taken, context) -> done(progress, 1), settings);
    return new RowQueueDrainer(name, table, List.of(binding), progress, table::fill);
  }

  /** The same in a worker that has {@code others}, too. */
  RowQueueDrainer beside(List<Module> others) {
    List<Module> all = new ArrayList<>(modules);
    all.addAll(others);
    return new RowQueueDrainer(name(), table, all, progress, fill);
  }

  /** The same with messages that come into the queue in another way. */
  RowQueueDrainer filledBy(Fill other) {
    return new RowQueueDrainer(name(), table, modules, progress, other);
  }

  /** The same with all messages in one batch of {@code leaves} counters, and without an effect. */
  static Drainer within(int leaves, QueueDatabase database, HandlerSettings settings) {
    AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
    Module binding =
        LambdaHandlers.bind(
            QueueTable.TOPIC, Work.class, (work, context) -> done(progress, 1), settings);
    QueueTable table = new QueueTable(database);
    return new RowQueueDrainer(
        "RowQueue, leaves: " + leaves,
        table,
        List.of(binding),
        progress,
        messages -> table.fill(messages, leaves));
  }

  @Override
  public void fill(int messages) throws Exception {
    fill.enqueue(messages);
  }

  /** With a handler that gives {@code result} back. */
  static Drainer giving(
      String name, QueueDatabase database, Object result, HandlerSettings settings) {
    AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
    Module binding =
        LambdaHandlers.bindResult(
            QueueTable.TOPIC,
            Work.class,
            (work, context) -> {
              done(progress, 1);
              return result;
            },
            settings);
    QueueTable table = new QueueTable(database);
    return new RowQueueDrainer(name, table, List.of(binding), progress, table::fill);
  }

  /** With a handler for many messages at a time. */
  static Drainer batch(String name, QueueDatabase database, int size) {
    AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
    Module binding =
        LambdaHandlers.<Work>bindBatch(
            QueueTable.TOPIC,
            Work.class,
            deliveries -> done(progress, deliveries.size()),
            HandlerSettings.defaults().withBatchSize(size));
    QueueTable table = new QueueTable(database);
    return new RowQueueDrainer(name, table, List.of(binding), progress, table::fill);
  }

  private static void done(AtomicReference<@Nullable Progress> progress, int count) {
    Progress now = progress.get();
    if (now == null) {
      throw new IllegalStateException("a message of no round was handled");
    }
    now.done(count);
  }

  @Override
  public void drain(Progress round) throws Exception {
    progress.set(round);
    WorkerConfig config = WorkerConfig.defaults(database.config()).withThreads(THREADS);
    try (Worker worker = Bindings.start(config, modules)) {
      round.awaitAll();
      table.awaitEmpty();
      round.finish();
    }
  }
}
