package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.plugin.FaultModule;
import io.rowqueue.proof.fault.plugin.Seal;
import io.rowqueue.proof.process.Checkout;
import io.rowqueue.proof.process.PluginJar;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** The workers of a run: whichever is gone is replaced by a new process. Confined to one thread. */
final class Fleet implements AutoCloseable {

  private static final Duration LONGEST_START = Duration.ofMinutes(3);

  private final QueueDatabase database;
  private final String url;
  private final Path home;
  private final Scenario scenario;
  private final List<WorkerProcess> workers = new ArrayList<>();
  private Path jar = Checkout.workerJar();
  private int started;

  Fleet(QueueDatabase database, String url, Path home, Scenario scenario) throws IOException {
    this.database = database;
    this.url = url;
    this.home = home;
    this.scenario = scenario;
    PluginJar.pack(
        FaultModule.class, Files.createDirectories(home.resolve("handlers")).resolve("deeds.jar"));
    Files.createDirectories(bodies());
    Seal.make(home);
  }

  /** Where payloads lie that are not in the database. */
  Path bodies() {
    return home.resolve(WorkerProcess.BODIES);
  }

  /** Starts {@code count} workers, and returns when all of them live. */
  void start(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      workers.add(next());
    }
    awaitAll();
  }

  /** Whoever starts from now on is of this version. */
  void deploy(Path worker) {
    jar = worker;
  }

  /** The version of whoever starts now. */
  Path jar() {
    return jar;
  }

  /** Where logs and journals are. */
  Path home() {
    return home;
  }

  List<WorkerProcess> all() {
    return List.copyOf(workers);
  }

  /** One that lives, once at least two do, so that its peers can take over. */
  WorkerProcess victim(RandomGenerator random) {
    Await.until(
        "two workers live", LONGEST_START, this::living, living -> living.size() > 1 || single());
    List<WorkerProcess> living = living();
    return living.get(random.nextInt(living.size()));
  }

  private boolean single() {
    return workers.size() == 1 && !living().isEmpty();
  }

  /** Starts a new process for each that has ended; does not wait until they live. */
  void replaceTheDead() throws IOException {
    for (int i = 0; i < workers.size(); i++) {
      if (!workers.get(i).isAlive()) {
        workers.get(i).close();
        workers.set(i, next());
      }
    }
  }

  /** Whether no process has ended. */
  boolean allAreAlive() {
    return workers.stream().allMatch(WorkerProcess::isAlive);
  }

  /**
   * Waits until every process is a worker that lives, in the eyes of the database. Where a poison
   * is about, one may end meanwhile, and another is started in its place.
   */
  void awaitAll() {
    Await.until(
        "%d workers live; their logs are in %s".formatted(workers.size(), home),
        LONGEST_START,
        this::livingAfterReplacement,
        living -> living.size() == workers.size());
  }

  private List<WorkerProcess> livingAfterReplacement() {
    try {
      replaceTheDead();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return living();
  }

  private List<WorkerProcess> living() {
    List<String> pids = database.strings("SELECT pid FROM queue_worker WHERE alive = 1");
    return workers.stream()
        .filter(worker -> worker.isAlive() && pids.contains(Long.toString(worker.pid())))
        .toList();
  }

  /** How many that live are not of the next version, or are though they should not be. */
  long othersThan(boolean next) {
    List<String> pids =
        database.strings(
            "SELECT pid FROM queue_worker WHERE alive = 1 AND version = '%s'"
                .formatted(NextVersion.NAME));
    return living().stream()
        .filter(worker -> pids.contains(Long.toString(worker.pid())) != next)
        .count();
  }

  private WorkerProcess next() throws IOException {
    started++;
    return WorkerProcess.start(jar, url, home.resolve("worker-" + started + ".log"), scenario);
  }

  @Override
  public void close() throws IOException {
    for (WorkerProcess worker : workers) {
      worker.close();
    }
  }
}
