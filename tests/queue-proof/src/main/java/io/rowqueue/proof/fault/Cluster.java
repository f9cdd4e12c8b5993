package io.rowqueue.proof.fault;

import io.rowqueue.MessageProducer;
import io.rowqueue.proof.fault.plugin.EncryptionKeys;
import io.rowqueue.proof.fault.plugin.FaultModule;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.proof.fault.plugin.HandlingJournal;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.spi.Zstd;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.EmbeddedMariaDb;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestServer;
import io.rowqueue.tests.process.Checkout;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The server, the queue in a schema of its own, and the worker processes of a run. */
final class Cluster implements AutoCloseable {

  private static final Duration LONGEST_START = Duration.ofMinutes(3);
  private static final long LONGEST_STOP_SECONDS = 60;
  private static final long BETWEEN_QUERIES_MILLIS = 15;

  /** Of workers and clients. */
  static final String PASSWORD = "only-for-tests";

  /** The claims that are in flight, each as id and claim number. */
  private static final String IN_FLIGHT =
      "SELECT CONCAT(id, ':', claim_number) FROM queue_message WHERE state = 1";

  private final Server server;
  private final QueueDatabase database;
  private final String account;
  private final String url;
  private final Path home;
  private final Scenario scenario;
  private final List<String> javaOptions;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Stopped> stops = new ArrayList<>();
  private final List<String> reports = new ArrayList<>();
  private final Queries queries;
  private final Deadlocks deadlocks;
  private final AtomicLong encryptedSince = new AtomicLong();
  private volatile MessageProducer producer;
  private Path jar = Checkout.workerJar();
  private int started;

  /**
   * A queue of its own on {@code server}, with an account that may do no more than workers must: to
   * others the server would never be read-only.
   *
   * @param javaOptions of the workers, such as an archive of their classes
   * @param home an empty folder for logs and journals
   */
  Cluster(Server server, Scenario scenario, List<String> javaOptions, Path home)
      throws IOException {
    this.server = server;
    this.scenario = scenario;
    this.javaOptions = javaOptions;
    this.home = home;
    this.database = QueueDatabase.create(server.address());
    Ledger.create(database);
    this.account = database.name() + "_w";
    database.execute(
        "CREATE USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(account, PASSWORD),
        "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.* TO '%s'@'%%'"
            .formatted(database.name(), account));
    this.url = database.url().replaceFirst("\\?.*", "");
    writePassword(PASSWORD);
    this.queries = new Queries(database);
    this.deadlocks = new Deadlocks(database);
    PluginJar.pack(
        FaultModule.class,
        Files.createDirectories(home.resolve("handlers")).resolve("handlers.jar"));
    Files.createDirectories(payloads());
    EncryptionKeys.make(home);
    this.producer = newProducer();
  }

  Server server() {
    return server;
  }

  QueueDatabase database() {
    return database;
  }

  String account() {
    return account;
  }

  /** The server lets nobody in with the old one; the workers' file still has it. */
  void changePassword(String password) {
    database.execute("ALTER USER '%s'@'%%' IDENTIFIED BY '%s'".formatted(account, password));
  }

  /** Writes it into the file that workers read; none reads half of it. */
  void writePassword(String password) throws IOException {
    Path next = Files.writeString(home.resolve("password.next"), password);
    Files.move(next, passwordFile(), StandardCopyOption.ATOMIC_MOVE);
  }

  private Path passwordFile() {
    return home.resolve("password");
  }

  String clientUrl() {
    return url
        + "?user=%s&password=%s&sslMode=DISABLED&allowPublicKeyRetrieval=true"
            .formatted(account, PASSWORD);
  }

  Path home() {
    return home;
  }

  Path payloads() {
    return home.resolve("bodies");
  }

  Deadlocks deadlocks() {
    return deadlocks;
  }

  void report(String finding) {
    reports.add(finding);
  }

  List<String> reports() {
    return List.copyOf(reports);
  }

  List<Stopped> stops() {
    return List.copyOf(stops);
  }

  /** A producer that stores and encrypts what is to be. */
  MessageProducer producer() {
    return producer;
  }

  private MessageProducer newProducer() {
    return MessageProducer.create()
        .storing(FileBodyStore.in(payloads()), Workload.STORED_FROM)
        .wrapping(
            Wrapping.none()
                .forTopic(FaultTopics.ENCRYPTED, Zstd.above(0), EncryptionKeys.in(home)));
  }

  /** From now on producers encrypt with the key that is primary now, as restarted ones do. */
  void renewProducer() {
    encryptedSince.set(0);
    producer = newProducer();
  }

  /** Notes that so many messages were committed that {@code by} has encrypted. */
  void countEncrypted(MessageProducer by, long count) {
    if (by == producer) {
      encryptedSince.addAndGet(count);
    }
  }

  /** Encrypted messages that were committed since {@link #renewProducer}. */
  long encryptedSince() {
    return encryptedSince.get();
  }

  Set<String> inFlight() throws SQLException {
    return new HashSet<>(strings(IN_FLIGHT));
  }

  static Set<String> inFlight(Queries queries) throws SQLException {
    Client.pause(BETWEEN_QUERIES_MILLIS);
    return new HashSet<>(queries.strings(IN_FLIGHT));
  }

  /** The first column of {@code query}; not more often than the server can bear. */
  List<String> strings(String query) throws SQLException {
    Client.pause(BETWEEN_QUERIES_MILLIS);
    return queries.strings(query);
  }

  void start(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      workers.add(newWorker());
    }
    awaitAll();
  }

  /** Workers that start from now on are of this version. */
  void deploy(Path version) {
    jar = version;
  }

  /** The version of workers that start now. */
  Path jar() {
    return jar;
  }

  List<Worker> workers() {
    return List.copyOf(workers);
  }

  /** One that lives, once at least two do, so that its peers can take over. */
  Worker victim(RandomGenerator random) {
    List<Worker> living =
        Await.until("two workers live", LONGEST_START, this::living, all -> all.size() > 1);
    return living.get(random.nextInt(living.size()));
  }

  /** Starts a new process for each that has ended; does not wait until they live. */
  void replaceTheDead() throws IOException {
    for (int i = 0; i < workers.size(); i++) {
      if (!workers.get(i).isAlive()) {
        workers.get(i).close();
        workers.set(i, newWorker());
      }
    }
  }

  boolean allAreAlive() {
    return workers.stream().allMatch(Worker::isAlive);
  }

  /**
   * Waits until the database says that every process is a worker that lives. One that ends
   * meanwhile, by a poison, is replaced.
   */
  void awaitAll() {
    Await.until(
        "%d workers live; their logs are in %s".formatted(workers.size(), home),
        LONGEST_START,
        () -> {
          replaceTheDead();
          return living();
        },
        living -> living.size() == workers.size());
  }

  /** Those that the database says are alive; not one that is about to start. */
  List<Worker> living() {
    List<String> pids = database.strings("SELECT pid FROM queue_worker WHERE is_alive = 1");
    return workers.stream()
        .filter(worker -> worker.isAlive() && pids.contains(Long.toString(worker.pid())))
        .toList();
  }

  /** How many live that are not of {@code version}, or are of it though none should be. */
  long othersThan(String version, boolean expected) {
    List<String> pids =
        database.strings(
            "SELECT pid FROM queue_worker WHERE is_alive = 1 AND version = '%s'"
                .formatted(version));
    return living().stream()
        .filter(worker -> pids.contains(Long.toString(worker.pid())) != expected)
        .count();
  }

  void stop(Worker worker) throws InterruptedException {
    Stopped stopped = worker.terminate();
    stops.add(stopped);
    if (stopped.exitCode() != 0) {
      report("worker %d, told to stop: %s".formatted(worker.pid(), stopped));
    }
  }

  void killAll() throws IOException {
    for (Worker worker : workers) {
      worker.close();
    }
  }

  private Worker newWorker() throws IOException {
    started++;
    Path log = home.resolve("worker-" + started + ".log");
    Wire wire = Wire.to(url);
    // Starting quickly matters more than running fast.
    List<String> command =
        new ArrayList<>(
            List.of(Checkout.java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(javaOptions);
    command.addAll(List.of("-jar", jar.toString(), "run"));
    command.addAll(List.of("--handlers", home.resolve("handlers").toString()));
    command.addAll(List.of("--user", account, "--password-file", passwordFile().toString()));
    command.addAll(List.of("--body-dir", payloads().toString()));
    command.addAll(scenario.options());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(variable -> variable.startsWith("ROWQUEUE_"));
    builder.environment().put("ROWQUEUE_URL", wire.through(url));
    builder.environment().put(HandlingJournal.VARIABLE, home.toString());
    builder.redirectOutput(log.toFile());
    WorkerFaults.FakeClock clock = null;
    if (scenario.has(Scenario.Trait.FAKES_CLOCKS)) {
      clock = WorkerFaults.FakeClock.at(log.resolveSibling(log.getFileName() + ".clock"));
      builder.environment().putAll(clock.environment());
    }
    return new Worker(builder.start(), wire, clock);
  }

  @Override
  public void close() throws IOException {
    killAll();
    queries.close();
    database.execute("DROP USER '%s'@'%%'".formatted(account));
    database.close();
  }

  /** One process of the shipped worker, behind a wire of its own. */
  record Worker(Process process, Wire wire, WorkerFaults.@Nullable FakeClock clock)
      implements AutoCloseable {

    long pid() {
      return process.pid();
    }

    boolean isAlive() {
      return process.isAlive();
    }

    void kill() throws InterruptedException {
      int unused = process.destroyForcibly().waitFor();
    }

    void signal(String name) throws IOException, InterruptedException {
      int unused = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
    }

    private Stopped terminate() throws InterruptedException {
      long start = System.nanoTime();
      process.destroy();
      if (!process.waitFor(LONGEST_STOP_SECONDS, TimeUnit.SECONDS)) {
        kill();
      }
      return new Stopped(process.exitValue(), Duration.ofNanos(System.nanoTime() - start));
    }

    @Override
    public void close() throws IOException {
      process.destroyForcibly();
      wire.close();
    }
  }

  record Stopped(int exitCode, Duration after) {}

  /**
   * Queries over one connection, which it opens anew when a fault has broken it: watching must cost
   * the server little. Confined to one thread.
   */
  static final class Queries implements AutoCloseable {
    private final QueueDatabase database;
    private @Nullable Connection connection;

    Queries(QueueDatabase database) {
      this.database = database;
    }

    List<String> strings(String query) throws SQLException {
      try {
        return ask(query);
      } catch (SQLException e) {
        close();
        return ask(query);
      }
    }

    private List<String> ask(String query) throws SQLException {
      Connection open = connection;
      if (open == null) {
        open = database.connect();
        connection = open;
      }
      try (Statement statement = open.createStatement();
          ResultSet rows = statement.executeQuery(query)) {
        List<String> strings = new ArrayList<>();
        while (rows.next()) {
          strings.add(String.valueOf(rows.getString(1)));
        }
        return strings;
      }
    }

    @Override
    public void close() {
      Workload.closeQuietly(connection);
      connection = null;
    }
  }

  /** The server's own count of deadlocks, over its restarts. Confined to one thread. */
  static final class Deadlocks {
    private final QueueDatabase database;
    private final String query;
    private long last;
    private long ours;
    private long injected;
    private String report = "(none)";

    private Deadlocks(QueueDatabase database) {
      this.database = database;
      this.query =
          database.isMariaDb()
              ? "SELECT variable_value FROM information_schema.global_status WHERE variable_name ="
                  + " 'INNODB_DEADLOCKS'"
              : "SELECT count FROM information_schema.innodb_metrics WHERE name ="
                  + " 'lock_deadlocks'";
      this.last = database.count(query);
    }

    /** What came since the last reading is ours; before a restart, which would lose it. */
    void read() {
      long more = more();
      if (more > 0) {
        ours += more;
        report = latest();
      }
    }

    /** What came since the last reading was made by a fault. */
    void readInjected() {
      injected += more();
    }

    private long more() {
      long now = database.count(query);
      // A server that was restarted counts from zero.
      long more = now >= last ? now - last : now;
      last = now;
      return more;
    }

    /** Those that no fault has made, as far as they were read. */
    long ours() {
      return ours;
    }

    long injected() {
      return injected;
    }

    /** What the server said of the last one that no fault has made. */
    String report() {
      return report;
    }

    private String latest() {
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement();
          ResultSet status = statement.executeQuery("SHOW ENGINE INNODB STATUS")) {
        status.next();
        String text = status.getString("Status");
        int begin = text.indexOf("LATEST DETECTED DEADLOCK");
        return begin < 0
            ? "(not told)"
            : text.substring(begin, Math.min(text.length(), begin + 5_000));
      } catch (SQLException e) {
        return "(not told: " + e.getMessage() + ")";
      }
    }
  }

  /** The database server of the harness, which faults may kill. */
  interface Server extends AutoCloseable {

    TestServer address();

    /** Whether {@link #kill} and {@link #restart} can be called. */
    boolean restarts();

    void kill(QueueDatabase database) throws IOException;

    void restart() throws IOException, InterruptedException;

    @Override
    void close();

    static Server embedded() {
      return new Embedded(EmbeddedMariaDb.start());
    }

    /**
     * A server that runs on this host already.
     *
     * @param startCommand a shell command that starts it when it is down and returns when it takes
     *     connections; null if it must not be killed
     */
    static Server at(String url, @Nullable String startCommand) {
      return new Existing(url, startCommand);
    }
  }

  private record Embedded(EmbeddedMariaDb server) implements Server {
    @Override
    public TestServer address() {
      return TestServer.of(server);
    }

    @Override
    public boolean restarts() {
      return true;
    }

    @Override
    public void kill(QueueDatabase database) {
      server.kill();
    }

    @Override
    public void restart() {
      server.restart();
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private record Existing(String url, @Nullable String startCommand) implements Server {
    @Override
    public TestServer address() {
      return TestServer.at(url);
    }

    @Override
    public boolean restarts() {
      return startCommand != null;
    }

    @Override
    public void kill(QueueDatabase database) throws IOException {
      String file = database.strings("SELECT @@pid_file").get(0);
      long pid = Long.parseLong(Files.readString(Path.of(file)).strip());
      ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
      process.destroyForcibly();
      process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Override
    public void restart() throws IOException, InterruptedException {
      Process start =
          new ProcessBuilder("sh", "-c", Objects.requireNonNull(startCommand))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (start.waitFor() != 0) {
        throw new IllegalStateException("the server did not start again: " + startCommand);
      }
    }

    @Override
    public void close() {
      // The owner stops it.
    }
  }
}
