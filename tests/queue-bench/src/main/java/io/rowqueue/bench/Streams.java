package io.rowqueue.bench;

import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.body.Sha256;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Noise;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Ten streamed payloads, handled one after another: in chunks and in files, beside the same chunks
 * read and deleted by plain JDBC. What a contest counts as messages are megabytes here.
 */
final class Streams {

  private static final int COUNT = 10;
  private static final int MEGABYTE = 1_000_000;
  private static final String TOPIC = "stream";

  private Streams() {}

  static void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    int megabytes = stage.scaled(250, COUNT) / COUNT * COUNT;
    Path folder = Files.createTempDirectory("rowqueue-streams");
    WorkerConfig config = WorkerConfig.defaults(database.config());
    MessageProducer producer = MessageProducer.create().notifying(WorkerNotifier.SILENT);
    try {
      Contender baseline = new Chunks(database, producer);
      Contender rows = new Handled("RowQueue, in rows", database, producer, config);
      Contender files =
          new Handled(
              "RowQueue, in files",
              database,
              producer.storing(FileBodyStore.in(folder), 0),
              config.withBodyFolder(folder));
      Standing end = stage.contest("streams handled, MB", megabytes, baseline, rows, files);
      stage.atLeast("streams in rows to the baseline", end.rate(rows, baseline), 0.6);
    } finally {
      delete(folder);
    }
  }

  private static void delete(Path top) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(top)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.delete(each);
    }
  }

  private static void enqueue(QueueDatabase database, MessageProducer producer, int megabytes) {
    long bytes = (long) megabytes / COUNT * MEGABYTE;
    for (int i = 0; i < COUNT; i++) {
      producer.enqueue(database.dataSource(), NewMessage.streamed(TOPIC, () -> new Noise(bytes)));
    }
  }

  private static void check(long length, int megabytes) {
    if (length != (long) megabytes / COUNT * MEGABYTE) {
      throw new IllegalStateException(
          "%,d bytes came of a payload of %d MB".formatted(length, megabytes / COUNT));
    }
  }

  /** By one handler that reads them, from its first line on; chunks are deleted within that. */
  private record Handled(
      String name, QueueDatabase database, MessageProducer producer, WorkerConfig config)
      implements Contender {

    private static final Duration LONGEST = Duration.ofMinutes(10);

    @Override
    public Effort round(Meter meter, int megabytes) throws Exception {
      enqueue(database, producer, megabytes);
      AtomicReference<@Nullable Mark> from = new AtomicReference<>();
      CountDownLatch read = new CountDownLatch(COUNT);
      Module binding =
          LambdaHandlers.bind(
              TOPIC,
              InputStream.class,
              (stream, context) -> {
                if (from.get() == null) {
                  from.set(meter.mark());
                }
                check(length(stream), megabytes);
                read.countDown();
              },
              HandlerSettings.defaults().withMaxThreads(1).withTimeout(LONGEST));
      try (Connection watch = database.connect();
          Worker worker = Bindings.start(config, List.of(binding))) {
        if (!read.await(LONGEST.toMinutes(), TimeUnit.MINUTES)) {
          throw new IllegalStateException("%d payloads are not read".formatted(read.getCount()));
        }
        QueueTable.awaitEmpty(watch, "queue_message");
        QueueTable.awaitEmpty(watch, "queue_payload_chunk");
        return meter.since(Objects.requireNonNull(from.get()), megabytes);
      }
    }

    private static long length(InputStream stream) throws IOException {
      byte[] piece = new byte[64 << 10];
      long length = 0;
      for (int read = stream.read(piece); read >= 0; read = stream.read(piece)) {
        length += read;
      }
      return length;
    }
  }

  /**
   * The baseline: the same chunks by plain JDBC, with their SHA-256, which RowQueue computes too.
   */
  private record Chunks(QueueDatabase database, MessageProducer producer) implements Contender {

    @Override
    public String name() {
      return "baseline: chunks by plain JDBC";
    }

    @Override
    public Effort round(Meter meter, int megabytes) throws SQLException {
      enqueue(database, producer, megabytes);
      List<Long> ids = new QueueTable(database).ids();
      try (Connection connection = Bare.connect(database)) {
        Mark from = meter.mark();
        for (long id : ids) {
          check(length(connection, id), megabytes);
          delete(connection, "DELETE FROM queue_message WHERE id = ?", id);
          delete(connection, "DELETE FROM queue_payload_chunk WHERE message_id = ?", id);
        }
        return meter.since(from, megabytes);
      } finally {
        database.clean();
      }
    }

    private static long length(Connection connection, long id) throws SQLException {
      MessageDigest digest = Sha256.digest();
      long length = 0;
      boolean last = false;
      try (PreparedStatement select =
          connection.prepareStatement(
              "SELECT bytes, is_last FROM queue_payload_chunk WHERE message_id = ? AND seq = ?")) {
        for (int seq = 0; !last; seq++) {
          select.setLong(1, id);
          select.setInt(2, seq);
          try (ResultSet row = select.executeQuery()) {
            row.next();
            byte[] bytes = row.getBytes(1);
            digest.update(bytes);
            length += bytes.length;
            last = row.getInt(2) == 1;
          }
        }
      }
      digest.digest();
      return length;
    }

    private static void delete(Connection connection, String sql, long id) throws SQLException {
      try (PreparedStatement delete = connection.prepareStatement(sql)) {
        delete.setLong(1, id);
        delete.executeUpdate();
      }
      connection.commit();
    }
  }
}
