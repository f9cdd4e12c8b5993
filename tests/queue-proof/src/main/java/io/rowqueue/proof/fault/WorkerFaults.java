package io.rowqueue.proof.fault;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.proof.fault.plugin.Action;
import io.rowqueue.proof.fault.plugin.Action.Ending;
import io.rowqueue.proof.fault.plugin.EncryptionKeys;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** What happens to worker processes. */
final class WorkerFaults {

  /** Longer than the lease of the harness. */
  private static final int BEYOND_THE_LEASE_MILLIS = 4_000;

  private static final int MOST_WRONG_SECONDS = 5_400;

  private static final Duration LONGEST_ROTATION = Duration.ofSeconds(30);

  private static final Duration LONGEST_LIFE = Duration.ofMinutes(2);

  /** More workers than any scenario lets one message end, where other faults end some, too. */
  private static final int MOST_ENDS = 30;

  private static final int FIRST = -128;

  private WorkerFaults() {}

  /** SIGKILL; a new process takes its place. */
  static Set<Long> kill(Cluster cluster, RandomGenerator random) throws Exception {
    Cluster.Worker victim = cluster.victim(random);
    victim.kill();
    cluster.replaceTheDead();
    return Set.of(victim.pid());
  }

  /** SIGSTOP, so long that its peers take over, then SIGCONT: the zombie must leave no trace. */
  static Set<Long> pause(Cluster cluster, RandomGenerator random) throws Exception {
    return stopFor(cluster, BEYOND_THE_LEASE_MILLIS + random.nextInt(1_000), random);
  }

  /** SIGSTOP and SIGCONT within the lease. */
  static Set<Long> hiccup(Cluster cluster, RandomGenerator random) throws Exception {
    return stopFor(cluster, 20 + random.nextInt(1_000), random);
  }

  private static Set<Long> stopFor(Cluster cluster, int millis, RandomGenerator random)
      throws Exception {
    Cluster.Worker victim = cluster.victim(random);
    victim.signal("STOP");
    try {
      Client.pause(millis);
    } finally {
      victim.signal("CONT");
    }
    return Set.of(victim.pid());
  }

  /** A worker's wall clock is an hour wrong, or right again. */
  static Set<Long> setClock(Cluster cluster, RandomGenerator random) throws IOException {
    Cluster.Worker victim = cluster.victim(random);
    Objects.requireNonNull(victim.clock())
        .set(Duration.ofSeconds(random.nextInt(-MOST_WRONG_SECONDS, MOST_WRONG_SECONDS)));
    Client.pause(500, 2_500, random);
    // A wrong clock may make a worker give up earlier, and nothing else.
    return Set.of(victim.pid());
  }

  /** SIGTERM under load; a new process takes its place. */
  static Set<Long> terminate(Cluster cluster, RandomGenerator random) throws Exception {
    Cluster.Worker victim = cluster.victim(random);
    cluster.stop(victim);
    cluster.replaceTheDead();
    return Injection.NOBODY;
  }

  /**
   * Every worker is stopped and replaced, one after the other. Each that starts knows one more key
   * of encryption, which producers use once all do: no worker meets a key that it does not have.
   */
  static Set<Long> roll(Cluster cluster, RandomGenerator random) throws Exception {
    EncryptionKeys.addKey(cluster.home());
    replaceAll(cluster, random);
    EncryptionKeys.useNewestKey(cluster.home());
    cluster.renewProducer();
    try {
      Await.that(
          "one is encrypted with the new key",
          LONGEST_ROTATION,
          () -> cluster.encryptedSince() > 0);
    } catch (AssertionError e) {
      cluster.report("nothing was encrypted with a new key, so that nothing is shown of it");
    }
    return Injection.NOBODY;
  }

  private static void replaceAll(Cluster cluster, RandomGenerator random) throws Exception {
    // One that only starts would end without a word.
    cluster.awaitAll();
    for (Cluster.Worker each : cluster.workers()) {
      cluster.stop(each);
      cluster.replaceTheDead();
      cluster.awaitAll();
      Client.pause(0, 200, random);
    }
  }

  /** A message ends each process that handles it, until it is dead-lettered. */
  static Set<Long> poison(Cluster cluster, RandomGenerator random)
      throws SQLException, IOException {
    MessageId id;
    try (Connection connection = cluster.database().connect()) {
      connection.setAutoCommit(false);
      // Before all others of its topic: behind a backlog no worker would come to it in time.
      NewMessage poison =
          NewMessage.of(FaultTopics.ALONE, new Action(Ending.KILL, 0, null)).withPriority(FIRST);
      id = MessageProducer.create().enqueue(connection, poison);
      Ledger.write(connection, List.of(Ledger.Entry.of(id, poison)));
      connection.commit();
    }
    awaitQuarantine(cluster, id);
    // The journal says which processes it ended.
    return Injection.NOBODY;
  }

  /** How long it takes altogether is the machine's business, as long as one after another ends. */
  private static void awaitQuarantine(Cluster cluster, MessageId poison)
      throws SQLException, IOException {
    String waiting = "SELECT id FROM queue_message WHERE id = %d".formatted(poison.value());
    for (int ends = 0; ends < MOST_ENDS; ends++) {
      boolean gone =
          Await.until(
              "the poison ends a worker or is dead-lettered",
              LONGEST_LIFE,
              () -> cluster.strings(waiting).isEmpty(),
              nowhere -> nowhere || !cluster.allAreAlive());
      cluster.replaceTheDead();
      if (gone) {
        reportOtherReasons(cluster, poison);
        return;
      }
    }
    cluster.report(
        "message %s has ended %d workers, and is not dead-lettered".formatted(poison, MOST_ENDS));
  }

  /** An operator may have removed it: the ledger says so. */
  private static void reportOtherReasons(Cluster cluster, MessageId poison) throws SQLException {
    cluster
        .strings(
            "SELECT CONCAT('the poison was dead-lettered for ', reason) FROM queue_dead_letter"
                + " WHERE id = %d AND reason <> 'claims-lost'".formatted(poison.value()))
        .forEach(cluster::report);
  }

  /** Injects nothing: handlers or operators misbehave, or there is time for them to. */
  static Set<Long> none(Cluster cluster, RandomGenerator random) {
    Client.pause(500, 1_000, random);
    return Injection.NOBODY;
  }

  /**
   * A wall clock for one process, that can be wrong and can jump, by the library of Debian's
   * package {@code libfaketime}. The monotonic clock stays as it is.
   */
  static final class FakeClock {

    private static final Path LIBRARIES = Path.of("/usr/lib");
    private static final String LIBRARY = "faketime/libfaketime.so.1";

    private final Path file;

    private FakeClock(Path file) {
      this.file = file;
    }

    static boolean isThere() {
      return library().isPresent();
    }

    /** One that is right, until it is set; {@code file} is where its process reads it from. */
    static FakeClock at(Path file) throws IOException {
      FakeClock clock = new FakeClock(file);
      clock.set(Duration.ZERO);
      return clock;
    }

    void set(Duration ahead) throws IOException {
      Path next = file.resolveSibling(file.getFileName() + ".next");
      Files.writeString(next, "%+d".formatted(ahead.toSeconds()));
      // At no time may its process read half of it.
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** What its process needs in its environment. */
    Map<String, String> environment() {
      return Map.of(
          "LD_PRELOAD",
          library().orElseThrow().toString(),
          "FAKETIME_TIMESTAMP_FILE",
          file.toString(),
          "FAKETIME_CACHE_DURATION",
          "1",
          "FAKETIME_DONT_FAKE_MONOTONIC",
          "1",
          // With it, every timed wait of a JVM ends at once.
          "FAKETIME_FORCE_MONOTONIC_FIX",
          "0");
    }

    private static Optional<Path> library() {
      try (Stream<Path> folders = Files.list(LIBRARIES)) {
        return folders.map(folder -> folder.resolve(LIBRARY)).filter(Files::exists).findFirst();
      } catch (IOException e) {
        return Optional.empty();
      }
    }
  }
}
