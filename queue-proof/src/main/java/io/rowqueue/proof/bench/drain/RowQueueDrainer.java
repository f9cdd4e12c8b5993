package io.rowqueue.proof.bench.drain;

import com.google.inject.Module;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.proof.bench.Bindings;
import io.rowqueue.proof.bench.drain.QueueTable.Work;
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

  /** How many counters the batch of all messages has; 0 if there is none. */
  private final int leaves;

  private RowQueueDrainer(
      String name,
      QueueTable table,
      List<Module> modules,
      AtomicReference<@Nullable Progress> progress,
      int leaves) {
    super(name, table);
    this.modules = modules;
    this.progress = progress;
    this.leaves = leaves;
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
    return new RowQueueDrainer(name, table, List.of(binding), progress, 0);
  }

  /** The same in a worker that has {@code others}, too. */
  RowQueueDrainer beside(List<Module> others) {
    List<Module> all = new ArrayList<>(modules);
    all.addAll(others);
    return new RowQueueDrainer(name(), table, all, progress, leaves);
  }

  /** The same with all messages in one batch of {@code leaves} counters, and without an effect. */
  static Drainer within(int leaves, QueueDatabase database, HandlerSettings settings) {
    AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
    Module binding =
        LambdaHandlers.bind(
            QueueTable.TOPIC, Work.class, (work, context) -> done(progress, 1), settings);
    return new RowQueueDrainer(
        "RowQueue, leaves: " + leaves,
        new QueueTable(database),
        List.of(binding),
        progress,
        leaves);
  }

  @Override
  public void fill(int messages) {
    if (leaves == 0) {
      super.fill(messages);
    } else {
      table.fill(messages, leaves);
    }
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
    return new RowQueueDrainer(name, new QueueTable(database), List.of(binding), progress, 0);
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
    return new RowQueueDrainer(name, new QueueTable(database), List.of(binding), progress, 0);
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
