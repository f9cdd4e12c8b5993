package io.rowqueue.bench.stream;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.drain.EmptyTable;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.body.FileBodyStore;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** RowQueue's streams, in chunks beside their rows or in files. */
final class QueueWay implements Way {

  private static final String TOPIC = "film";
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final String name;
  private final QueueDatabase database;
  private final HikariDataSource pool;
  private final MessageProducer producer;
  private final WorkerConfig config;
  private final Folder folder;

  private QueueWay(
      String name,
      QueueDatabase database,
      MessageProducer producer,
      WorkerConfig config,
      Folder folder) {
    this.name = name;
    this.database = database;
    this.pool = Bare.pool(database, 1);
    this.producer = producer;
    this.config = config;
    this.folder = folder;
  }

  /** In chunks of the database. */
  static Way rows(QueueDatabase database, Folder folder) {
    return new QueueWay(
        "RowQueue, in rows",
        database,
        MessageProducer.create().ringing(Ring.SILENT),
        WorkerConfig.defaults(database.config()),
        folder);
  }

  /** In files of {@code folder}. */
  static Way files(QueueDatabase database, Folder folder) {
    Path path = folder.path();
    return new QueueWay(
        "RowQueue, in files",
        database,
        MessageProducer.create().ringing(Ring.SILENT).storing(FileBodyStore.in(path), 0),
        WorkerConfig.defaults(database.config()).withBodyFolder(path),
        folder);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void write(Films films) {
    for (int i = 0; i < films.count(); i++) {
      producer.enqueue((DataSource) pool, NewMessage.streamed(TOPIC, films::open));
    }
  }

  /** Chunks are swept right after, and are part of it; files only later, by maintenance. */
  @Override
  public Effort read(Films films, Meter meter) throws Exception {
    AtomicReference<@Nullable Mark> from = new AtomicReference<>();
    CountDownLatch read = new CountDownLatch(films.count());
    HandlerSettings oneByOne = HandlerSettings.defaults().withMaxThreads(1).withTimeout(LONGEST);
    try (Worker worker =
        Bindings.start(
            config,
            List.of(
                LambdaHandlers.bind(
                    TOPIC,
                    InputStream.class,
                    (film, context) -> {
                      if (from.get() == null) {
                        from.set(meter.mark());
                      }
                      films.watch(film);
                      read.countDown();
                    },
                    oneByOne)))) {
      if (!read.await(LONGEST.toMinutes(), TimeUnit.MINUTES)) {
        throw new IllegalStateException("%d payloads are not read".formatted(read.getCount()));
      }
      EmptyTable.await(database, "queue_message");
      EmptyTable.await(database, "queue_body");
      return meter.since(Objects.requireNonNull(from.get()), films.allMegabytes());
    }
  }

  @Override
  public void clean() throws Exception {
    database.clean();
    folder.clean();
  }

  @Override
  public void close() {
    pool.close();
  }
}
