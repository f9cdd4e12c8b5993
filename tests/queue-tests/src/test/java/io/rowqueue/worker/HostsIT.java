package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.wakeup.WakeupIT;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.EmbeddedMariaDb;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestServer;
import io.rowqueue.tests.process.Ledgers;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.tests.process.Step.What;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.worker.Hosts.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rings, the liveness lock and the lease between hosts: workers and producers are processes in
 * network namespaces of their own, and the server is on a third host, which is this one.
 */
@Tag("full")
class HostsIT {

  private static final Logger LOG = LoggerFactory.getLogger(HostsIT.class);
  private static final Duration SOON = Duration.ofSeconds(60);

  /** By itself an idle worker looks again two seconds later at the earliest. */
  private static final Duration LOOKS_ARE_RARE = Duration.ofSeconds(8);

  /** What no look, and no lease of two minutes, can be the reason of. */
  private static final Duration AT_ONCE = Duration.ofSeconds(2);

  private static final Duration LONG_BEFORE_THE_LEASE = Duration.ofSeconds(20);

  private static Hosts hosts;
  private static @Nullable EmbeddedMariaDb embedded;
  private static @Nullable Wire wire;
  private static String url;
  private static QueueDatabase database;

  @TempDir private static Path folder;

  @BeforeAll
  static void open() throws Exception {
    String obstacle = Hosts.obstacle();
    assumeTrue(obstacle == null, obstacle);
    hosts = connectedHosts();
    String given = System.getProperty("rowqueue.test.url", "");
    database = QueueDatabase.create(given.isEmpty() ? ownServer() : TestServer.at(given));
    url = urlForHosts();
    PluginJar.pack(StepModule.class, folder.resolve("steps.jar"));
  }

  private static Hosts connectedHosts() throws InterruptedException {
    try {
      return Hosts.create();
    } catch (IOException e) {
      return abort("this machine gives no hosts: " + e.getMessage());
    }
  }

  private static TestServer ownServer() {
    embedded = EmbeddedMariaDb.start("--bind-address=127.0.0.1," + hosts.here());
    return TestServer.of(embedded);
  }

  /** A server that other hosts cannot reach gets a relay that they can. */
  private static String urlForHosts() throws IOException {
    List<String> listening = List.of(database.strings("SELECT @@bind_address").get(0).split(","));
    if (listening.contains(hosts.here())
        || listening.stream().anyMatch(List.of("*", "0.0.0.0", "::")::contains)) {
      return database.url().replaceFirst("//[^:/]+", "//" + hosts.here());
    }
    wire = Wire.to(database.url(), InetAddress.getByName(hosts.here()));
    return wire.through(database.url());
  }

  @AfterAll
  static void close() throws Exception {
    try (Hosts closed = hosts;
        EmbeddedMariaDb stopped = embedded;
        Wire cut = wire;
        QueueDatabase dropped = database) {
      LOG.debug("closing {}, {}, {} and {}", closed, stopped, cut, dropped);
    }
  }

  @BeforeEach
  void openBooks() {
    database.clean();
    new Ledgers(database).open();
  }

  @AfterEach
  void balanceTheBooks() {
    new Ledgers(database).balance();
    new Ledgers(database).allAre("acked");
  }

  private static Process worker(Host host, String name, String... options) throws IOException {
    return host.run(Processes.worker(url, folder, options))
        .redirectOutput(log(name).toFile())
        .start();
  }

  private static Path log(String name) {
    return folder.resolve(name + ".log");
  }

  private static void await(String query, long expected) {
    Await.until(query, SOON, () -> database.count(query), count -> count == expected);
  }

  private static void awaitEffects(int count) {
    await("SELECT COUNT(*) FROM effect", count);
  }

  /** How long it took from {@code start} until a second claim was handled, by {@code heir}. */
  private static Duration awaitSecondClaim(Process heir, long start) {
    await("SELECT COUNT(*) FROM effect WHERE claim = 2 AND pid = " + heir.pid(), 1);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** What the server calls an account's host is where its packets come from. */
  private static void awaitConnectionsFrom(Host host) {
    String from = wire == null ? host.address() : "127.0.0.1";
    Await.until(
        "connections from " + host,
        SOON,
        () ->
            database.count(
                "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND"
                    + " host LIKE '"
                    + from
                    + ":%'"),
        count -> count > 0);
  }

  @Test
  void ring_fromAProducerOnAnotherHost_wakesTheIdleWorker() throws Exception {
    Process worker =
        worker(hosts.first(), "sleeper", "--poll-interval", "60s", "--lease-duration", "2m");
    try (HostProducer producer = HostProducer.start(hosts.second(), url)) {
      awaitConnectionsFrom(hosts.first());
      producer.enqueue(What.SUCCEED);
      awaitEffects(1);
      awaitRareLooks();
      WakeupIT.awaitAsleep(database, 1);
      long rings = kills();
      long start = System.nanoTime();
      producer.enqueue(What.SUCCEED);
      awaitEffects(2);
      Duration pickup = Duration.ofNanos(System.nanoTime() - start);
      LOG.info("enqueued on one host, handled on another {} ms later", pickup.toMillis());
      assertThat(pickup).isLessThan(AT_ONCE);
      if (embedded != null) {
        assertThat(kills()).isGreaterThan(rings);
      }
    } finally {
      worker.destroyForcibly();
    }
  }

  /** How many KILLs the server has seen, which are this test's where the server is. */
  private static long kills() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Com_kill'")) {
      row.next();
      return row.getLong(2);
    }
  }

  /** Each idle look makes the wait for the next twice as long. */
  private static void awaitRareLooks() {
    Await.until(
        "the worker has been idle for " + LOOKS_ARE_RARE,
        SOON,
        () ->
            database.count(
                "SELECT TIMESTAMPDIFF(SECOND, MAX(handled_at), UTC_TIMESTAMP(6)) FROM effect"),
        idle -> idle >= LOOKS_ARE_RARE.toSeconds());
  }

  @Test
  void worker_killedOnOneHost_isReplacedOnAnotherLongBeforeItsLeaseRunsOut() throws Exception {
    Process victim = worker(hosts.first(), "victim", "--lease-duration", "2m");
    Process heir = null;
    try (HostProducer producer = HostProducer.start(hosts.second(), url)) {
      producer.enqueue(What.WAIT_ONCE);
      await("SELECT COUNT(*) FROM queue_message WHERE state = 1", 1);
      heir = worker(hosts.second(), "heir", "--lease-duration", "2m");
      await("SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1", 2);
      long start = System.nanoTime();
      victim.destroyForcibly();
      Duration took = awaitSecondClaim(heir, start);
      LOG.info("killed on one host, handled again on another {} ms later", took.toMillis());
      assertThat(took).isLessThan(LONG_BEFORE_THE_LEASE);
    } finally {
      end(victim, heir);
    }
    assertThat(database.strings("SELECT claim FROM effect")).containsExactly("2");
  }

  @Test
  void host_unplugged_isReplacedAfterItsLeaseAndComesBackWithoutATrace() throws Exception {
    Host first = hosts.first();
    Process cutOff =
        worker(first, "cut-off", "--lease-duration", "3s", "--lease-renew-interval", "1s");
    Process heir = null;
    try (HostProducer producer = HostProducer.start(hosts.second(), url);
        Connection go = database.connect();
        Statement lock = go.createStatement()) {
      lock.execute("DO GET_LOCK(" + Step.GO + ", 0)");
      producer.enqueue(What.WAIT_FOR_GO);
      await(
          "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND state ="
              + " 'User lock'",
          1);
      heir =
          worker(
              hosts.second(),
              "heir-after-lease",
              "--lease-duration",
              "3s",
              "--lease-renew-interval",
              "1s");
      await("SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1", 2);
      String life = life(cutOff);
      awaitRenewal(cutOff);
      long start = System.nanoTime();
      first.unplug();
      Duration took = awaitSecondClaim(heir, start);
      LOG.info("unplugged, and handled on another host {} ms later", took.toMillis());
      lock.execute("DO RELEASE_LOCK(" + Step.GO + ")");
      first.plug();
      awaitZombie(life, cutOff);
    } finally {
      end(cutOff, heir);
    }
    assertThat(database.strings("SELECT claim FROM effect")).containsExactly("2");
  }

  /** In the middle of one a host that vanishes leaves its row locked for a minute. */
  private static void awaitRenewal(Process worker) {
    String before = lease(worker);
    Await.until("its lease is renewed", SOON, () -> lease(worker), now -> !now.equals(before));
  }

  private static String lease(Process worker) {
    return database
        .strings(
            "SELECT lease_until FROM queue_worker WHERE is_alive = 1 AND pid = " + worker.pid())
        .get(0);
  }

  private static String life(Process worker) {
    return database
        .strings("SELECT lock_id FROM queue_worker WHERE is_alive = 1 AND pid = " + worker.pid())
        .get(0);
  }

  private static void awaitZombie(String earlierLife, Process worker) {
    Await.until(
        "the zombie finds its claim lost",
        SOON,
        () -> Files.readString(log("cut-off")),
        words -> words.contains("was lost before its ack"));
    Await.until("it lives again", SOON, () -> life(worker), life -> !life.equals(earlierLife));
  }

  private static void end(Process victim, @Nullable Process heir) {
    victim.destroyForcibly();
    if (heir != null) {
      heir.destroyForcibly();
    }
  }

  /**
   * An application on a host of its own. It enqueues a message for each line of its input: in a
   * JDBC transaction, and with a ring once that is committed.
   */
  static final class HostProducer implements AutoCloseable {

    private static final String READY = "ready";

    private final Process process;
    private final Writer orders;

    private HostProducer(Process process) {
      this.process = process;
      this.orders = process.outputWriter(StandardCharsets.US_ASCII);
    }

    /** Starts it on {@code host}, and returns when it is connected. */
    static HostProducer start(Hosts.Host host, String url) throws IOException {
      HostProducer producer =
          new HostProducer(host.run(Processes.program(HostProducer.class, url)).start());
      BufferedReader words = producer.process.inputReader(StandardCharsets.UTF_8);
      StringBuilder all = new StringBuilder();
      for (String line = words.readLine(); !READY.equals(line); line = words.readLine()) {
        if (line == null) {
          throw new IOException("the producer has ended: " + all);
        }
        all.append(line).append('\n');
      }
      return producer;
    }

    /** Has it enqueue a message; does not wait for that. */
    void enqueue(What what) throws IOException {
      orders.write(what.name() + "\n");
      orders.flush();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }

    public static void main(String[] arguments) throws SQLException, IOException {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(arguments[0]);
      config.setMaximumPoolSize(2);
      config.setMinimumIdle(2);
      try (HikariDataSource pool = new HikariDataSource(config);
          BufferedReader orders =
              new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
        WorkerNotifier notifier = WorkerNotifier.over(pool);
        System.out.println(READY);
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
          enqueue(pool, What.valueOf(line));
          notifier.notifyWorkers(Step.TOPIC);
        }
      }
    }

    private static void enqueue(DataSource pool, What what) throws SQLException {
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        MessageId id =
            MessageProducer.create().enqueue(connection, NewMessage.of(Step.TOPIC, new Step(what)));
        statement.execute("INSERT INTO enqueued (message_id) VALUES (" + id + ")");
        connection.commit();
      }
    }
  }
}
