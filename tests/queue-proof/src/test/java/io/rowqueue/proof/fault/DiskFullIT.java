package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.inject.Module;
import io.rowqueue.EnqueueException;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.EmbeddedMariaDb;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestServer;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.LeaseState;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Tag("ci")
@ResourceLock(providers = WholeServer.class)
class DiskFullIT {

  private static final Logger LOG = LoggerFactory.getLogger(DiskFullIT.class);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LEASE = Duration.ofSeconds(3);

  private static final String TOPIC = "page";
  private static final int MANY = 5_000;
  private static final int SOME = 60;

  /**
   * Two fill a block of the table. What lies outside of it kills MariaDB 11.4.5 when it is full.
   */
  private static final NewMessage LARGE = NewMessage.of(TOPIC, new Page(1, "x".repeat(6_000)));

  private static @Nullable EmbeddedMariaDb embedded;
  private static @Nullable QueueDatabase created;
  private static QueueDatabase database;
  private static @Nullable SmallDisk mounted;
  private static SmallDisk disk;

  private final MessageProducer producer = MessageProducer.create();
  private final CountDownLatch go = new CountDownLatch(1);
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();

  private record Page(int number, String text) {}

  @BeforeAll
  static void open() throws Exception {
    String given = System.getProperty("rowqueue.test.url", "");
    database = QueueDatabase.create(given.isEmpty() ? ownServer() : TestServer.at(given));
    created = database;
    String obstacle = SmallDisk.obstacle(database);
    assumeTrue(obstacle == null, obstacle);
    database.execute("CREATE TABLE printed (message_id BIGINT NOT NULL, text TEXT NOT NULL)");
    disk = SmallDisk.mount(database);
    mounted = disk;
  }

  /** One that nobody else needs, should it not bear this. */
  private static TestServer ownServer() {
    embedded = EmbeddedMariaDb.start();
    return TestServer.of(embedded);
  }

  @AfterAll
  static void close() throws Exception {
    try (EmbeddedMariaDb stopped = embedded;
        SmallDisk unmounted = mounted;
        QueueDatabase dropped = created) {
      LOG.debug("closing {}, {} and {}", stopped, unmounted, dropped);
    }
  }

  @BeforeEach
  void clean() throws IOException, SQLException {
    disk.free();
    database.clean();
    disk.take("queue_message", "printed");
  }

  private static List<NewMessage> pages(int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> NewMessage.of(TOPIC, new Page(number, "")))
        .toList();
  }

  private static long messages() {
    return database.count("SELECT COUNT(*) FROM queue_message");
  }

  private static void assertRefused(int count, ThrowingCallable enqueue) {
    assertThatThrownBy(enqueue)
        .isInstanceOf(EnqueueException.class)
        .hasMessageStartingWith(count + " messages were not enqueued: ")
        .hasMessageContaining("is full")
        .hasMessageContaining("the server has no space left")
        .hasRootCauseInstanceOf(SQLException.class);
  }

  /** On the pages that the table has, there may be room for some. */
  private static void assertOneIsRefused(Consumer<NewMessage> enqueue) {
    assertRefused(
        1,
        () -> {
          for (int i = 0; i < MANY; i++) {
            enqueue.accept(LARGE);
          }
        });
  }

  @Test
  void enqueue_onTheCallersConnection_isRefusedAndLeavesTheRestOfTheTransaction() throws Exception {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      producer.enqueue(connection, pages(1).get(0));
      connection.commit();
      producer.enqueue(connection, pages(1).get(0));
      disk.fill();
      assertRefused(MANY, () -> producer.enqueueAll(connection, pages(MANY)));
      assertThat(messagesSeenBy(connection)).isEqualTo(2);
      assertOneIsRefused(message -> producer.enqueue(connection, message));
      connection.rollback();
      assertThat(messages()).isOne();
      disk.free();
      producer.enqueueAll(connection, pages(MANY));
      connection.commit();
      assertThat(messages()).isEqualTo(MANY + 1);
    }
  }

  private static long messagesSeenBy(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM queue_message")) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void enqueue_throughTheDataSource_isRefusedAtOnceAndLeavesNothing() throws Exception {
    producer.enqueue(database.dataSource(), pages(1).get(0));
    disk.fill();
    AtomicInteger opened = new AtomicInteger();
    assertRefused(MANY, () -> producer.enqueueAll(counting(opened), pages(MANY)));
    assertThat(opened).as("transactions: no repetition would find room").hasValue(1);
    assertThat(messages()).isOne();
    assertOneIsRefused(message -> producer.enqueue(database.dataSource(), message));
    long kept = messages();
    disk.free();
    producer.enqueueAll(database.dataSource(), pages(MANY));
    assertThat(messages()).isEqualTo(kept + MANY);
  }

  private static DataSource counting(AtomicInteger opened) {
    return (DataSource)
        Proxy.newProxyInstance(
            DiskFullIT.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getConnection")) {
                opened.incrementAndGet();
              }
              return method.invoke(database.dataSource(), arguments);
            });
  }

  @Test
  void worker_whileNothingCanBeWritten_blamesNoMessageAndGoesOnByItself() throws Exception {
    try (TestWorker worker = workerWithOneAttempt()) {
      producer.enqueueAll(database.dataSource(), pages(SOME));
      Await.that("handlers are at work", SOON, () -> begun.get() >= 2);
      disk.fill();
      go.countDown();
      Await.that("handlers are refused", SOON, () -> refused.get() >= 2);
      awaitLongerThanALease();
      assertNoneIsBlamed();
      LOG.info("{} handlings were begun on a full disk, {} refused", begun, refused);
      disk.free();
      Await.until("all are printed", SOON, DiskFullIT::printed, count -> count == SOME);
      Await.until("the queue is empty", SOON, DiskFullIT::messages, left -> left == 0);
      producer.enqueue(database.dataSource(), pages(1).get(0));
      Await.until("one more is printed", SOON, DiskFullIT::printed, count -> count == SOME + 1);
      assertThat(worker.get(LeaseState.class).holder()).as("it lives").isNotNull();
    }
    assertNoneIsBlamed();
    assertThat(database.count("SELECT COUNT(DISTINCT message_id) FROM printed"))
        .isEqualTo(SOME + 1);
  }

  private TestWorker workerWithOneAttempt() {
    return TestWorker.start(
        database,
        config ->
            config
                .withThreads(2)
                .withLeaseDuration(LEASE)
                .withLeaseRenewInterval(Duration.ofSeconds(1))
                .withHandlers(HandlerDefaults.defaults().withMaxAttempts(1)),
        printer());
  }

  private Module printer() {
    return LambdaHandlers.bind(
        TOPIC,
        Page.class,
        (page, context) -> {
          begun.incrementAndGet();
          go.await();
          print(context);
        },
        HandlerSettings.defaults());
  }

  private void print(HandlerContext context) throws SQLException {
    try (Statement statement = context.connection().createStatement()) {
      statement.execute(
          "INSERT INTO printed VALUES (%s, REPEAT('x', 6000))".formatted(context.id()));
    } catch (SQLException e) {
      refused.incrementAndGet();
      throw e;
    }
  }

  private static void awaitLongerThanALease() {
    String end =
        database
            .strings(
                "SELECT UTC_TIMESTAMP(6) + INTERVAL %d SECOND".formatted(LEASE.toSeconds() * 2))
            .get(0);
    Await.until(
        "it is full for longer than a lease",
        SOON,
        () -> database.count("SELECT UTC_TIMESTAMP(6) > '" + end + "'"),
        over -> over == 1);
  }

  private static long printed() {
    return database.count("SELECT COUNT(*) FROM printed");
  }

  private static void assertNoneIsBlamed() {
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).as("attempts").isZero();
    assertThat(database.strings("SELECT detail FROM queue_dead_letter")).isEmpty();
  }

  /**
   * A disk of a few megabytes with some of a queue's tables on it: a tmpfs, which a file can fill
   * up. Then InnoDB cannot make these tables larger; logs and all else of the server lie elsewhere.
   * Needs root.
   */
  static final class SmallDisk implements AutoCloseable {

    private static final String SIZE = "size=24m,mode=777";
    private static final int BLOCK = 4096;

    private final QueueDatabase database;
    private final Path folder;

    private SmallDisk(QueueDatabase database, Path folder) {
      this.database = database;
      this.folder = folder;
    }

    /** Why there can be none; null if there can. */
    static @Nullable String obstacle(QueueDatabase database) throws IOException {
      Path self = Path.of("/proc/self");
      if (!Files.exists(self) || !Integer.valueOf(0).equals(Files.getAttribute(self, "unix:uid"))) {
        return "it needs Linux and root, to mount a tmpfs";
      }
      return database.isMariaDb() || foreseen(database).isPresent()
          ? null
          : "it needs a MySQL that is started with --innodb-directories=FOLDER, an empty folder";
    }

    /** MySQL has tables only in folders that it was told of at its start. */
    private static Optional<Path> foreseen(QueueDatabase database) {
      String folders = database.strings("SELECT @@innodb_directories").get(0);
      return Arrays.stream(folders.split(";", -1))
          .filter(name -> name.startsWith("/"))
          .map(Path::of)
          .filter(Files::isDirectory)
          .findFirst();
    }

    static SmallDisk mount(QueueDatabase database) throws IOException {
      Path folder =
          database.isMariaDb()
              ? Files.createTempDirectory("rowqueue-small-disk-")
              : foreseen(database).orElseThrow();
      run("mount", "-t", "tmpfs", "-o", SIZE, "rowqueue", folder.toString());
      return new SmallDisk(database, folder);
    }

    void take(String... tables) throws SQLException {
      for (String table : tables) {
        String anew = definition(table).replaceFirst("DATA DIRECTORY='[^']*'", "");
        database.execute("DROP TABLE " + table, anew + " DATA DIRECTORY = '" + folder + "'");
      }
    }

    private String definition(String table) throws SQLException {
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SHOW CREATE TABLE " + table)) {
        row.next();
        return row.getString(2);
      }
    }

    void fill() throws IOException {
      try (OutputStream out = Files.newOutputStream(filler())) {
        while (true) {
          out.write(new byte[BLOCK]);
        }
      } catch (IOException e) {
        if (!String.valueOf(e.getMessage()).contains("No space left")) {
          throw e;
        }
      }
    }

    void free() throws IOException {
      Files.deleteIfExists(filler());
    }

    private Path filler() {
      return folder.resolve("filler");
    }

    @Override
    public void close() throws IOException {
      run("umount", "-l", folder.toString());
      if (database.isMariaDb()) {
        Files.delete(folder);
      }
    }

    private static void run(String... command) throws IOException {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.onExit().join().exitValue() != 0) {
        throw new IOException(String.join(" ", command) + ": " + words.strip());
      }
    }
  }
}
