package io.rowqueue.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.QueueTable.EmptyTable;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Report.Bar;
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
import java.io.UncheckedIOException;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
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
final class Streams implements Workload {

  /** As for the other features, figures are taken at 0.4 of the full size: 100. */
  private static final int MEGABYTES = 250;

  private static final int LEAST = 10;
  private static final int SEVERAL = 10;

  @Override
  public String name() {
    return "streams";
  }

  @Override
  public String what() {
    return "MB a second of streamed payloads, in chunks beside their rows and in files";
  }

  @Override
  public void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    int each = stage.scaled(MEGABYTES, LEAST) / SEVERAL;
    try (Folder folder = Folder.create();
        Way bareRows = new BareRows(database);
        Way rows = QueueWay.rows(database, folder);
        Way plainFiles = BareFiles.plain(database, folder);
        Way bareFiles = BareFiles.digested(database, folder);
        Way files = QueueWay.files(database, folder)) {
      List<Beside> all =
          List.of(
              new Beside(bareRows, bareRows),
              new Beside(rows, bareRows),
              new Beside(plainFiles, bareFiles),
              new Beside(bareFiles, bareFiles),
              new Beside(files, bareFiles));
      measure(stage, new Films(1, SEVERAL * each), all);
      measure(stage, new Films(SEVERAL, each), all);
    }
  }

  /** A way, and the floor that it is held against. */
  private record Beside(Way way, Way floor) {}

  private static void measure(Stage stage, Films films, List<Beside> all) throws Exception {
    String size = ", %d of %d MB".formatted(films.count(), films.megabytes());
    measure(stage, "streams enqueued" + size, way -> Turn.written(way, films), all);
    measure(stage, "streams handled" + size, way -> Turn.read(way, films), all);
  }

  private static void measure(
      Stage stage, String title, Function<Way, Turn> turns, List<Beside> all) throws Exception {
    List<Turn> contenders = all.stream().map(each -> turns.apply(each.way)).toList();
    int megabytes = contenders.get(0).films().allMegabytes();
    Standing end = new Contest(stage, "streams", title, megabytes).run(contenders);
    Table table = table("%s (load %.1f)".formatted(title, Load.average()));
    List<Bar> bars = new ArrayList<>();
    for (Beside each : all) {
      Turn turn = turns.apply(each.way);
      double share = end.ratio(turn, turns.apply(each.floor), Effort::perSecond);
      row(table, end, turn, share);
      if (each.way instanceof QueueWay) {
        bars.add(Bar.atLeast(title + ", " + turn.name() + ", to its floor", share, 0.5));
      }
    }
    stage.report().table(table);
    bars.forEach(stage.report()::bar);
  }

  private static Table table(String title) {
    return new Table(
        title,
        "",
        "MB/s",
        "min",
        "max",
        "of its floor",
        "server ms a MB",
        "client ms a MB",
        "statements a MB");
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
    return String.format(Locale.ROOT, "%.1f", micros.median() / 1_000);
  }

  /** One way to lay payloads down with a message each, and to read them again. For one thread. */
  interface Way extends AutoCloseable {

    /** Short, for a table's first column. */
    String name();

    /** Lays them down, one after another, each committed and on the disk before the next. */
    void write(Films films) throws Exception;

    /**
     * Reads all of them, one after another, to their ends; then message and payload are gone, as
     * far as the way lets them go by itself.
     *
     * @return what it took from the first byte on
     */
    Effort read(Films films, Meter meter) throws Exception;

    /** Leaves nothing; not measured. */
    void clean() throws Exception;

    @Override
    void close();
  }

  /**
   * What is measured of a way: that payloads are laid down, or that they are read.
   *
   * @param films of every turn
   */
  record Turn(Way way, Films films, boolean isRead) implements Contender {

    /** They are laid down; that they are read is not measured, nor done. */
    static Turn written(Way way, Films films) {
      return new Turn(way, films, false);
    }

    /** They are read; that they were laid down before is not measured. */
    static Turn read(Way way, Films films) {
      return new Turn(way, films, true);
    }

    @Override
    public String name() {
      return way.name();
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

  /** A temporary folder for payloads; nothing is left of it in the end. */
  record Folder(Path path) implements AutoCloseable {

    /** A new one. */
    static Folder create() throws IOException {
      return new Folder(Files.createTempDirectory("rowqueue-streams"));
    }

    /** Takes every payload out; the folder's own files stay. */
    void clean() throws IOException {
      try (Stream<Path> all = Files.list(path)) {
        for (Path each : all.filter(Files::isDirectory).toList()) {
          delete(each);
        }
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

    @Override
    public void close() {
      try {
        delete(path);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Payloads of {@link Noise}, of one length.
   *
   * @param count how many
   * @param megabytes how long each is; one is a million bytes
   */
  record Films(int count, int megabytes) {

    private static final int MILLION = 1_000_000;

    /** As much as a reader takes at a time, the same for everybody. */
    private static final int PIECE_BYTES = 64 << 10;

    /** All of them together. */
    int allMegabytes() {
      return count * megabytes;
    }

    /** One, from its beginning. */
    InputStream open() {
      return new Noise((long) megabytes * MILLION);
    }

    /** The same for who reckons its SHA-256 as it goes. */
    InputStream openDigested() {
      return new DigestInputStream(open(), Sha256.digest());
    }

    /**
     * Reads one to its end.
     *
     * @throws IllegalStateException if it is not as long as it was
     */
    void watch(InputStream film) throws IOException {
      byte[] piece = new byte[PIECE_BYTES];
      long length = 0;
      for (int read = film.read(piece); read >= 0; read = film.read(piece)) {
        length += read;
      }
      checkLength(length);
    }

    /** The same for who has counted it. */
    void checkLength(long length) {
      if (length != (long) megabytes * MILLION) {
        throw new IllegalStateException(
            "%,d bytes came of a payload of %d MB".formatted(length, megabytes));
      }
    }
  }

  /** The messages of the floors' payloads, in RowQueue's table; {@link #end} alone commits. */
  record BareMessages(Connection connection) implements AutoCloseable {

    private static final String INSERT =
        "INSERT INTO queue_message (topic, payload) VALUES ('film', ?)";
    private static final String ALL = "SELECT id, payload FROM queue_message";
    private static final String DELETE = "DELETE FROM queue_message WHERE id = ?";

    /** Over a connection of their own. */
    static BareMessages of(QueueDatabase database) throws SQLException {
      return new BareMessages(Bare.connect(database));
    }

    /** One that says where its payload lies; returns its id. */
    long insert(String place) throws SQLException {
      try (PreparedStatement insert =
          connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
        insert.setString(1, place);
        insert.executeUpdate();
        try (ResultSet key = insert.getGeneratedKeys()) {
          key.next();
          return key.getLong(1);
        }
      }
    }

    /** Where the payloads of all of them lie, by their ids. */
    Map<Long, String> all() throws SQLException {
      Map<Long, String> places = new TreeMap<>();
      try (PreparedStatement select = connection.prepareStatement(ALL);
          ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          places.put(rows.getLong(1), rows.getString(2));
        }
      }
      return places;
    }

    /** Deletes one, and commits. */
    void end(long id) throws SQLException {
      try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
        delete.setLong(1, id);
        delete.executeUpdate();
      }
      connection.commit();
    }

    @Override
    public void close() {
      try {
        connection.close();
      } catch (SQLException e) {
        throw new IllegalStateException("a floor's connection does not close", e);
      }
    }
  }

  /**
   * The floor of files: a copy that is forced to the disk, and a row that names it; with the
   * SHA-256 that RowQueue reckons on both sides, or without.
   */
  static final class BareFiles implements Way {

    private final QueueDatabase database;
    private final BareMessages messages;
    private final Folder folder;
    private final boolean digested;

    private BareFiles(QueueDatabase database, Folder folder, boolean digested) throws SQLException {
      this.database = database;
      this.messages = BareMessages.of(database);
      this.folder = folder;
      this.digested = digested;
    }

    /** Nothing else. */
    static Way plain(QueueDatabase database, Folder folder) throws SQLException {
      return new BareFiles(database, folder, false);
    }

    /** With the SHA-256. */
    static Way digested(QueueDatabase database, Folder folder) throws SQLException {
      return new BareFiles(database, folder, true);
    }

    @Override
    public String name() {
      return digested ? "floor: files and their SHA-256" : "files, nothing reckoned";
    }

    @Override
    public void write(Films films) throws IOException, SQLException {
      Path day = Files.createDirectories(folder.path().resolve("day"));
      for (int i = 0; i < films.count(); i++) {
        Path file = day.resolve("film-" + i);
        copy(films, file);
        messages.insert(file.toString());
        messages.connection().commit();
      }
    }

    private void copy(Films films, Path file) throws IOException {
      try (InputStream film = digested ? films.openDigested() : films.open();
          FileChannel channel =
              FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
          OutputStream out = Channels.newOutputStream(channel)) {
        film.transferTo(out);
        channel.force(true);
      }
    }

    /** The files stay, as RowQueue's do for a while. */
    @Override
    public Effort read(Films films, Meter meter) throws IOException, SQLException {
      Mark from = meter.mark();
      for (Map.Entry<Long, String> message : messages.all().entrySet()) {
        try (InputStream raw = Files.newInputStream(Path.of(message.getValue()));
            InputStream film = digested ? new DigestInputStream(raw, Sha256.digest()) : raw) {
          films.watch(film);
        }
        messages.end(message.getKey());
      }
      return meter.since(from, films.allMegabytes());
    }

    @Override
    public void clean() throws IOException, SQLException {
      messages.connection().rollback();
      database.clean();
      folder.clean();
    }

    @Override
    public void close() {
      messages.close();
    }
  }

  /**
   * The floor of chunks: the same rows in the same tables by plain JDBC, with their SHA-256, which
   * RowQueue reckons on both sides.
   */
  static final class BareRows implements Way {

    /** As large as RowQueue's. */
    private static final int CHUNK_BYTES = 256 << 10;

    private static final String INSERT =
        "INSERT INTO queue_body (message_id, seq, last, bytes) VALUES (?, ?, ?, ?)";
    private static final String READ =
        "SELECT bytes, last FROM queue_body WHERE message_id = ? AND seq = ?";
    private static final String DELETE = "DELETE FROM queue_body WHERE message_id = ?";

    private final QueueDatabase database;
    private final BareMessages messages;
    private final Connection connection;

    BareRows(QueueDatabase database) throws SQLException {
      this.database = database;
      this.messages = BareMessages.of(database);
      this.connection = messages.connection();
    }

    @Override
    public String name() {
      return "floor: chunks by plain JDBC";
    }

    @Override
    public void write(Films films) throws IOException, SQLException {
      for (int i = 0; i < films.count(); i++) {
        long id = messages.insert("rows");
        try (InputStream film = films.openDigested()) {
          insert(id, film);
        }
        connection.commit();
      }
    }

    private void insert(long id, InputStream film) throws IOException, SQLException {
      try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
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
    public Effort read(Films films, Meter meter) throws SQLException {
      Mark from = meter.mark();
      for (long id : messages.all().keySet()) {
        films.checkLength(length(id));
        messages.end(id);
        deleteChunks(id);
        connection.commit();
      }
      return meter.since(from, films.allMegabytes());
    }

    private long length(long id) throws SQLException {
      MessageDigest digest = Sha256.digest();
      long length = 0;
      boolean last = false;
      try (PreparedStatement select = connection.prepareStatement(READ)) {
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

    private void deleteChunks(long id) throws SQLException {
      try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
        delete.setLong(1, id);
        delete.executeUpdate();
      }
    }

    @Override
    public void clean() throws SQLException {
      connection.rollback();
      database.clean();
    }

    @Override
    public void close() {
      messages.close();
    }
  }

  /** RowQueue's streams, in chunks beside their rows or in files. */
  static final class QueueWay implements Way {

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
}
