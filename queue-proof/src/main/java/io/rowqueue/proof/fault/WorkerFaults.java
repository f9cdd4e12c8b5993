package io.rowqueue.proof.fault;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.WorkerProcess.Stopped;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Deed.What;
import io.rowqueue.proof.fault.plugin.Seal;
import io.rowqueue.testkit.Await;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

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
  static Set<Long> kill(Rig rig, RandomGenerator random) throws Exception {
    WorkerProcess victim = rig.fleet().victim(random);
    victim.kill();
    rig.fleet().replaceTheDead();
    return Set.of(victim.pid());
  }

  /** SIGSTOP, so long that its peers take over, then SIGCONT: the zombie must leave no trace. */
  static Set<Long> pause(Rig rig, RandomGenerator random) throws Exception {
    return stopFor(rig, BEYOND_THE_LEASE_MILLIS + random.nextInt(1_000), random);
  }

  /** SIGSTOP and SIGCONT within the lease. */
  static Set<Long> hiccup(Rig rig, RandomGenerator random) throws Exception {
    return stopFor(rig, 20 + random.nextInt(1_000), random);
  }

  private static Set<Long> stopFor(Rig rig, int millis, RandomGenerator random) throws Exception {
    WorkerProcess victim = rig.fleet().victim(random);
    victim.pause();
    try {
      Pauses.millis(millis);
    } finally {
      victim.resume();
    }
    return Set.of(victim.pid());
  }

  /** A worker's wall clock is an hour wrong, or right again. */
  static Set<Long> setClock(Rig rig, RandomGenerator random) throws IOException {
    WorkerProcess victim = rig.fleet().victim(random);
    victim.setClock(Duration.ofSeconds(random.nextInt(-MOST_WRONG_SECONDS, MOST_WRONG_SECONDS)));
    Pauses.between(500, 2_500, random);
    // A wrong clock may make a worker give up earlier, and nothing else.
    return Set.of(victim.pid());
  }

  /** SIGTERM under load; a new process takes its place. */
  static Set<Long> terminate(Rig rig, RandomGenerator random) throws Exception {
    WorkerProcess victim = rig.fleet().victim(random);
    stop(rig, victim);
    rig.fleet().replaceTheDead();
    return Fault.NOBODY;
  }

  /**
   * Every worker is stopped and replaced, one after the other. Each that starts knows one more key
   * of seals, which the producer uses once all do: nobody meets a key that he does not have.
   */
  static Set<Long> roll(Rig rig, RandomGenerator random) throws Exception {
    Seal.addKey(rig.fleet().home());
    replaceAll(rig, random);
    Seal.useNewestKey(rig.fleet().home());
    rig.producer().renewSeals();
    try {
      Await.that(
          "one is sealed with the new key",
          LONGEST_ROTATION,
          () -> rig.producer().sealedAnew() > 0);
    } catch (AssertionError e) {
      rig.report("nothing was sealed with a new key, so that nothing is shown of it");
    }
    return Fault.NOBODY;
  }

  private static void replaceAll(Rig rig, RandomGenerator random) throws Exception {
    for (WorkerProcess each : rig.fleet().all()) {
      stop(rig, each);
      rig.fleet().replaceTheDead();
      rig.fleet().awaitAll();
      Pauses.between(0, 200, random);
    }
  }

  /** SIGTERM to one, which must end well. */
  static void stop(Rig rig, WorkerProcess worker) throws InterruptedException {
    Stopped stopped = worker.terminate();
    rig.stops().add(stopped);
    if (stopped.exitCode() != 0) {
      rig.report("worker %d, told to stop: %s".formatted(worker.pid(), stopped));
    }
  }

  /** A message ends each process that handles it, until it is set aside. */
  static Set<Long> poison(Rig rig, RandomGenerator random) throws SQLException, IOException {
    MessageId id;
    try (Connection connection = rig.database().connect()) {
      connection.setAutoCommit(false);
      // Before all others of its topic: behind a backlog nobody would come to it in time.
      NewMessage poison =
          NewMessage.of(Deed.ALONE, new Deed(What.KILL, 0, null)).withPriority(FIRST);
      id = MessageProducer.create().enqueue(connection, poison);
      Ledger.book(connection, List.of(Entry.of(id, Deed.ALONE, poison)));
      connection.commit();
    }
    awaitQuarantine(rig, id);
    return Fault.EVERYBODY;
  }

  /** How long it takes altogether is the machine's business, as long as one after another ends. */
  private static void awaitQuarantine(Rig rig, MessageId poison) throws SQLException, IOException {
    String waiting = "SELECT id FROM queue_message WHERE id = %d".formatted(poison.value());
    for (int ends = 0; ends < MOST_ENDS; ends++) {
      boolean gone =
          Await.until(
              "the poison ends a worker or is set aside",
              LONGEST_LIFE,
              () -> rig.look(waiting).isEmpty(),
              nowhere -> nowhere || !rig.fleet().allAreAlive());
      rig.fleet().replaceTheDead();
      if (gone) {
        reportOtherReasons(rig, poison);
        return;
      }
    }
    rig.report(
        "message %s has ended %d workers, and is not set aside".formatted(poison, MOST_ENDS));
  }

  /** An operator may have taken it out, or discarded it: the books know. */
  private static void reportOtherReasons(Rig rig, MessageId poison) throws SQLException {
    rig.look(
            "SELECT CONCAT('the poison was set aside for ', reason) FROM queue_dead_letter"
                + " WHERE id = %d AND reason <> 'claims-lost'".formatted(poison.value()))
        .forEach(rig::report);
  }
}
