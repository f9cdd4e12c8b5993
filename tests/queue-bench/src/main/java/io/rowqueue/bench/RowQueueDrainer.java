package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The worker as it is shipped, with the defaults but for what its binding says. */
final class RowQueueDrainer extends Drainer.OfQueue {

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

  /**
   * A way in which handlers commit.
   *
   * @param messages of a round
   * @param hasTransaction whether a handler can enqueue in it
   */
  record Mode(String words, HandlerSettings settings, int messages, boolean hasTransaction) {

    /** The three that there are. */
    static List<Mode> all(int each, int shared, int grouped) {
      HandlerSettings alone = HandlerSettings.defaults();
      return List.of(
          new Mode("a COMMIT each", alone, each, true),
          new Mode("shared commits", alone.withSharedCommit(), shared, true),
          new Mode("grouped acks", alone.withoutTransaction(), grouped, false));
    }
  }

  /** How the messages of a round come into the queue. */
  @FunctionalInterface
  interface Fill {
    /** Enqueues so many, or what so many will follow from. */
    void enqueue(int messages) throws Exception;
  }

  /** With the handler that {@code binding} makes, which tells how many messages it has handled. */
  static RowQueueDrainer of(String name, QueueTable table, Function<IntConsumer, Module> binding) {
    AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
    Module module =
        binding.apply(
            count ->
                Objects.requireNonNull(progress.get(), "a message of no round was handled")
                    .done(count));
    return new RowQueueDrainer(name, table, List.of(module), progress, table::fill);
  }

  /** With a handler that does {@code deed} for one message at a time. */
  static RowQueueDrainer doing(
      String name, QueueTable table, HandlerSettings settings, MessageHandler<Work> deed) {
    return of(
        name,
        table,
        done ->
            LambdaHandlers.bind(
                QueueTable.TOPIC,
                Work.class,
                (work, context) -> {
                  deed.handle(work, context);
                  done.accept(1);
                },
                settings));
  }

  /** With a handler that does nothing. */
  static RowQueueDrainer idle(String name, QueueTable table, HandlerSettings settings) {
    return doing(name, table, settings, (work, context) -> {});
  }

  /** With a handler that has {@code effect}, in the transaction that {@code settings} say. */
  static RowQueueDrainer single(
      String name, QueueDatabase database, Effect effect, HandlerSettings settings) {
    effect.prepare(database);
    return effect == Effect.NONE
        ? idle(name, new QueueTable(database), settings)
        : doing(
            name,
            new QueueTable(database),
            settings,
            (work, context) -> effect.happen(context.connection(), work.number()));
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

  @Override
  public void fill(int messages) throws Exception {
    fill.enqueue(messages);
  }

  @Override
  public void drain(Progress round) throws Exception {
    progress.set(round);
    WorkerConfig config = WorkerConfig.defaults(database.config()).withThreads(THREADS);
    try (Worker worker = Bindings.start(config, modules)) {
      round.awaitAll();
      QueueTable.awaitEmpty(database, "queue_message");
      round.finish();
    }
  }
}
