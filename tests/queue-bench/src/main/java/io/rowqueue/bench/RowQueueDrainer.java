package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.RowQueueDrainer.QueueTable.Work;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The worker as it is shipped, with the defaults but for what its binding says. */
final class RowQueueDrainer extends Drainer.OfQueue {

  /** As many connections as a baseline has. */
  static final int THREADS = 16;

  private final List<Module> modules;
  private final AtomicReference<@Nullable Progress> progress;
  private final Fill fill;
  private int threads = THREADS;

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

  /** A way in which handlers commit. */
  record Mode(
      String words,
      HandlerSettings settings,
      int messages,
      boolean hasTransaction,
      boolean isShared) {

    static List<Mode> all(int each, int shared, int grouped) {
      HandlerSettings alone = HandlerSettings.defaults();
      return List.of(
          new Mode("a COMMIT each", alone.withCommitEach(), each, true, false),
          new Mode("shared commits", alone.withSharedCommit(), shared, true, true),
          new Mode("grouped acks", alone.withoutTransaction(), grouped, false, false));
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

  /** The same worker with so many handler threads. */
  RowQueueDrainer on(int handlerThreads) {
    threads = handlerThreads;
    return this;
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
    WorkerConfig config = WorkerConfig.defaults(database.config()).withThreads(threads);
    try (Connection watch = database.connect();
        Worker worker = Bindings.start(config, modules)) {
      round.awaitAll();
      QueueTable.awaitEmpty(watch, "queue_message");
      round.finish();
    }
  }

  /** RowQueue's table, which the baselines use as well, so that rows and keys are the same. */
  static final class QueueTable {

    static final String TOPIC = "bench";

    private static final int CHUNK = 10_000;

    /** Makes 200 bytes of JSON, with the number. */
    private static final String FILLER = "x".repeat(170);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int LONGEST_MINUTES = 10;

    final QueueDatabase database;

    private final MessageProducer producer;
    private final IntFunction<NewMessage> message;

    QueueTable(QueueDatabase database) {
      this(database, TOPIC);
    }

    QueueTable(QueueDatabase database, String topic) {
      this(database, number -> NewMessage.of(topic, Work.of(number)));
    }

    QueueTable(QueueDatabase database, IntFunction<NewMessage> message) {
      this(database, MessageProducer.create(), message);
    }

    QueueTable(QueueDatabase database, MessageProducer producer, IntFunction<NewMessage> message) {
      this.database = database;
      this.producer = producer;
      this.message = message;
    }

    record Work(int number, String filler) {

      static Work of(int number) {
        return new Work(number, FILLER);
      }
    }

    void fill(int messages) {
      for (int from = 0; from < messages; from += CHUNK) {
        producer.enqueueAll(
            database.dataSource(),
            IntStream.range(from, Math.min(from + CHUNK, messages)).mapToObj(message).toList());
      }
    }

    void fill(int messages, int shards) {
      BatchProducer.over(MessageProducer.create())
          .enqueue(
              database.dataSource(),
              BatchSettings.defaults().withShards(shards),
              IntStream.range(0, messages).mapToObj(message).toList());
    }

    List<Long> ids() {
      return database.strings("SELECT id FROM queue_message ORDER BY id").stream()
          .map(Long::valueOf)
          .toList();
    }

    /** Ten rows, from which the server makes millions by joining them with themselves. */
    static void makeDigits(QueueDatabase database) {
      database.execute(
          "CREATE TABLE IF NOT EXISTS digit (d INT PRIMARY KEY)",
          "INSERT IGNORE INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
    }

    /**
     * Returns as soon as no row is left in {@code table}. Polls not often: an answer passes all
     * rows that are deleted and not yet purged.
     *
     * @param connection opened before the measurement, so that it is no part of it
     */
    static void awaitEmpty(Connection connection, String table) throws SQLException {
      long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(LONGEST_MINUTES);
      try (Statement statement = connection.createStatement()) {
        while (hasRow(statement, table)) {
          if (System.nanoTime() > deadline) {
            throw new IllegalStateException("rows stay in " + table);
          }
          LockSupport.parkNanos(POLL_NANOS);
        }
      }
    }

    static boolean hasRow(Statement statement, String table) throws SQLException {
      try (ResultSet row = statement.executeQuery("SELECT 1 FROM " + table + " LIMIT 1")) {
        return row.next();
      }
    }
  }
}
