package io.rowqueue.bench;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.body.FileBodyStore;
import io.rowqueue.body.Sha256;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Noise;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Payloads that are streamed, in chunks beside their rows and in files, each beside the least that
 * it takes. What a contest counts as messages are megabytes here.
 */
final class Streams {

  /** As for the other features, figures are taken at 0.4 of the full size: 100. */
  private static final int MEGABYTES = 250;

  private static final int LEAST = 10;
  private static final int SEVERAL = 10;

  private Streams() {}

  static void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    int each = stage.scaled(MEGABYTES, LEAST) / SEVERAL;
    Path folder = Files.createTempDirectory("rowqueue-streams");
    WorkerConfig config = WorkerConfig.defaults(database.config());
    MessageProducer producer = MessageProducer.create().ringing(Ring.SILENT);
    try (Way bareRows = new BareRows(database, folder);
        Way rows = new QueueWay("RowQueue, in rows", database, folder, producer, config);
        Way plainFiles = new BareFiles("files, nothing computed", database, folder, false);
        Way bareFiles = new BareFiles("floor: files and their SHA-256", database, folder, true);
        Way files =
            new QueueWay(
                "RowQueue, in files",
                database,
                folder,
                producer.storing(FileBodyStore.in(folder), 0),
                config.withBodyFolder(folder))) {
      List<Beside> all =
          List.of(
              new Beside(bareRows, bareRows),
              new Beside(rows, bareRows),
              new Beside(plainFiles, bareFiles),
              new Beside(bareFiles, bareFiles),
              new Beside(files, bareFiles));
      for (Films films : List.of(new Films(1, SEVERAL * each), new Films(SEVERAL, each))) {
        String size = ", %d of %d MB".formatted(films.count(), films.megabytes());
        measure(stage, "streams enqueued" + size, way -> new Turn(way, films, false), all);
        measure(stage, "streams handled" + size, way -> new Turn(way, films, true), all);
      }
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

  private record Beside(Way way, Way floor) {}

  private static void measure(
      Stage stage, String title, Function<Way, Turn> turns, List<Beside> all) throws Exception {
    List<Turn> contenders = all.stream().map(each -> turns.apply(each.way)).toList();
    int megabytes = contenders.get(0).films().allMegabytes();
    Standing end = stage.run(title, megabytes, contenders);
    Table table =
        new Table(
            Stage.loaded(title),
            "",
            "MB/s",
            "min",
            "max",
            "of its floor",
            "server ms a MB",
            "client ms a MB",
            "statements a MB");
    for (Beside each : all) {
      Turn turn = turns.apply(each.way);
      row(table, end, turn, end.rate(turn, turns.apply(each.floor)));
    }
    stage.table(table);
    for (Beside each : all) {
      if (each.way instanceof QueueWay) {
        stage.atLeast(
            "%s, %s, to its floor".formatted(title, each.way.name),
            end.rate(turns.apply(each.way), turns.apply(each.floor)),
            0.5);
      }
    }
  }

  private static void row(Table table, Standing end, Turn turn, double share) {
    Figures rate = end.figures(turn, Effort::perSecond);
    table.row(
        turn.name(),
        "%,.0f".formatted(rate.median()),
        "%,.0f".formatted(rate.min()),
        "%,.0f".formatted(rate.max()),
        "%.2f".formatted(share),
        millis(end.figures(turn, Effort::serverMicrosEach)),
        millis(end.figures(turn, Effort::clientMicrosEach)),
        "%.1f".formatted(end.figures(turn, Effort::statementsEach).median()));
  }

  private static String millis(Figures micros) {
    return "%.1f".formatted(micros.median() / 1_000);
  }

  /** One way to write payloads with a message each, and to read them again. For one thread. */
  private abstract static class Way implements AutoCloseable {
    final String name;
    final QueueDatabase database;
    final Path folder;

    Way(String name, QueueDatabase database, Path folder) {
      this.name = name;
      this.database = database;
      this.folder = folder;
    }

    /** Writes them, one after another, each committed and on the disk before the next. */
    abstract void write(Films films) throws Exception;

    /**
     * Reads all of them, one after another, to their ends; then message and payload are gone, as
     * far as the way deletes them by itself.
     *
     * @return what it took from the first byte on
     */
    abstract Effort read(Films films, Meter meter) throws Exception;

    /** Takes every payload out; the folder's own files stay. */
    void clean() throws Exception {
      database.clean();
      List<Path> payloads;
      try (Stream<Path> all = Files.list(folder)) {
        payloads = all.filter(Files::isDirectory).toList();
      }
      for (Path each : payloads) {
        delete(each);
      }
    }

    @Override
    public abstract void close() throws SQLException;
  }

  /** Writing is measured, without reading; or reading, without the writing before. */
  private record Turn(Way way, Films films, boolean isRead) implements Contender {

    @Override
    public String name() {
      return way.name;
    }

    @Override
    public Effort round(Meter meter, int megabytes) throws Exception {
      try {
        Mark from = meter.mark();
        way.write(films);
        return isRead ? way.read(films, meter) : meter.since(from, megabytes);
      } finally {
        way.clean();
      }
    }
  }

  /** Payloads of {@link Noise}, of one length; a megabyte is a million bytes. */
  private record Films(int count, int megabytes) {

    /** As much as a reader takes at a time, the same for everybody. */
    private static final int PIECE_BYTES = 64 << 10;

    int allMegabytes() {
      return count * megabytes;
    }

    InputStream open() {
      return new Noise(megabytes * 1_000_000L);
    }

    InputStream openDigested() {
      return new DigestInputStream(open(), Sha256.digest());
    }

    void watch(InputStream film) throws IOException {
      byte[] piece = new byte[PIECE_BYTES];
      long length = 0;
      for (int read = film.read(piece); read >= 0; read = film.read(piece)) {
        length += read;
      }
      checkLength(length);
    }

    void checkLength(long length) {
      if (length != megabytes * 1_000_000L) {
        throw new IllegalStateException(
            "%,d bytes came of a payload of %d MB".formatted(length, megabytes));
      }
    }
  }

  /** A floor, with messages in RowQueue's table. */
  private abstract static class BareWay extends Way {
    final Connection connection;

    BareWay(String name, QueueDatabase database, Path folder) throws SQLException {
      super(name, database, folder);
      this.connection = Bare.connect(database);
    }

    /** A message that says where its payload lies, not committed; returns its id. */
    final long insert(String place) throws SQLException {
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO queue_message (topic, payload) VALUES ('film', ?)",
              Statement.RETURN_GENERATED_KEYS)) {
        insert.setString(1, place);
        insert.executeUpdate();
        try (ResultSet key = insert.getGeneratedKeys()) {
          key.next();
          return key.getLong(1);
        }
      }
    }

    /** Where the payloads of all messages lie, by their ids. */
    final Map<Long, String> all() throws SQLException {
      Map<Long, String> places = new TreeMap<>();
      try (PreparedStatement select =
              connection.prepareStatement("SELECT id, payload FROM queue_message");
          ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          places.put(rows.getLong(1), rows.getString(2));
        }
      }
      return places;
    }

    final void commit(String sql, long id) throws SQLException {
      try (PreparedStatement delete = connection.prepareStatement(sql)) {
        delete.setLong(1, id);
        delete.executeUpdate();
      }
      connection.commit();
    }

    @Override
    final void clean() throws Exception {
      connection.rollback();
      super.clean();
    }

    @Override
    public final void close() throws SQLException {
      connection.close();
    }
  }

  /**
   * The floor of files: a copy that is forced to the disk, and a row that names it; with the
   * SHA-256 that RowQueue computes on both sides, or without.
   */
  private static final class BareFiles extends BareWay {
    private final boolean digested;

    BareFiles(String name, QueueDatabase database, Path folder, boolean digested)
        throws SQLException {
      super(name, database, folder);
      this.digested = digested;
    }

    @Override
    void write(Films films) throws IOException, SQLException {
      Path day = Files.createDirectories(folder.resolve("day"));
      for (int i = 0; i < films.count(); i++) {
        Path file = day.resolve("film-" + i);
        try (InputStream film = digested ? films.openDigested() : films.open();
            FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            OutputStream out = Channels.newOutputStream(channel)) {
          film.transferTo(out);
          channel.force(true);
        }
        insert(file.toString());
        connection.commit();
      }
    }

    /** The files stay, as RowQueue's do for a while. */
    @Override
    Effort read(Films films, Meter meter) throws IOException, SQLException {
      Mark from = meter.mark();
      for (Map.Entry<Long, String> message : all().entrySet()) {
        try (InputStream raw = Files.newInputStream(Path.of(message.getValue()));
            InputStream film = digested ? new DigestInputStream(raw, Sha256.digest()) : raw) {
          films.watch(film);
        }
        commit("DELETE FROM queue_message WHERE id = ?", message.getKey());
      }
      return meter.since(from, films.allMegabytes());
    }
  }

  /**
   * The floor of chunks: the same rows in the same tables by plain JDBC, with their SHA-256, which
   * RowQueue computes on both sides.
   */
  private static final class BareRows extends BareWay {

    private static final int CHUNK_BYTES = 256 << 10;

    BareRows(QueueDatabase database, Path folder) throws SQLException {
      super("floor: chunks by plain JDBC", database, folder);
    }

    @Override
    void write(Films films) throws IOException, SQLException {
      for (int i = 0; i < films.count(); i++) {
        long id = insert("rows");
        try (InputStream film = films.openDigested()) {
          insert(id, film);
        }
        connection.commit();
      }
    }

    private void insert(long id, InputStream film) throws IOException, SQLException {
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO queue_body (message_id, seq, last, bytes) VALUES (?, ?, ?, ?)")) {
        byte[] next = film.readNBytes(CHUNK_BYTES);
        for (int seq = 0; next.length > 0; seq++) {
          byte[] bytes = next;
          next = film.readNBytes(CHUNK_BYTES);
          insert.setLong(1, id);
          insert.setInt(2, seq);
          insert.setInt(3, next.length == 0 ? 1 : 0);
          insert.setBytes(4, bytes);
          insert.executeUpdate();
        }
      }
    }

    @Override
    Effort read(Films films, Meter meter) throws SQLException {
      Mark from = meter.mark();
      for (long id : all().keySet()) {
        films.checkLength(length(id));
        commit("DELETE FROM queue_message WHERE id = ?", id);
        commit("DELETE FROM queue_body WHERE message_id = ?", id);
      }
      return meter.since(from, films.allMegabytes());
    }

    private long length(long id) throws SQLException {
      MessageDigest digest = Sha256.digest();
      long length = 0;
      boolean last = false;
      try (PreparedStatement select =
          connection.prepareStatement(
              "SELECT bytes, last FROM queue_body WHERE message_id = ? AND seq = ?")) {
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
  }

  /** RowQueue's streams, in chunks beside their rows or in files. */
  private static final class QueueWay extends Way {
    private static final String TOPIC = "film";
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final HikariDataSource pool;
    private final MessageProducer producer;
    private final WorkerConfig config;

    QueueWay(
        String name,
        QueueDatabase database,
        Path folder,
        MessageProducer producer,
        WorkerConfig config) {
      super(name, database, folder);
      this.pool = Bare.pool(database, 1);
      this.producer = producer;
      this.config = config;
    }

    @Override
    void write(Films films) {
      for (int i = 0; i < films.count(); i++) {
        producer.enqueue((DataSource) pool, NewMessage.streamed(TOPIC, films::open));
      }
    }

    /** Chunks are swept right after, and are part of it; files only later, by maintenance. */
    @Override
    Effort read(Films films, Meter meter) throws Exception {
      AtomicReference<@Nullable Mark> from = new AtomicReference<>();
      CountDownLatch read = new CountDownLatch(films.count());
      Module binding =
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
              HandlerSettings.defaults().withMaxThreads(1).withTimeout(LONGEST));
      try (Worker worker = Bindings.start(config, List.of(binding))) {
        if (!read.await(LONGEST.toMinutes(), TimeUnit.MINUTES)) {
          throw new IllegalStateException("%d payloads are not read".formatted(read.getCount()));
        }
        QueueTable.awaitEmpty(database, "queue_message");
        QueueTable.awaitEmpty(database, "queue_body");
        return meter.since(Objects.requireNonNull(from.get()), films.allMegabytes());
      }
    }

    @Override
    public void close() {
      pool.close();
    }
  }
}
