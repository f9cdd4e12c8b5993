package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.Scenario.Trait;
import io.rowqueue.proof.fault.plugin.Deed.What;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Every scenario there is, in the order in which they run. */
final class Scenarios {

  private static final Mix MISBEHAVING =
      new Mix(
          List.of(
              What.ERROR,
              What.HANG,
              What.CLOSE,
              What.COMMIT,
              What.ROLL_BACK,
              What.LEAK,
              What.SWALLOW_TIMEOUT,
              What.SWALLOW_DEADLOCK,
              What.FAIL),
          25);

  private static final List<Scenario> ALONE =
      List.of(
          Scenario.of("worker-kill", "a worker is killed (SIGKILL)", WorkerFaults::kill),
          Scenario.of("worker-pause", "a worker stands still beyond its lease", WorkerFaults::pause)
              .seldom(),
          Scenario.of(
              "worker-hiccup",
              "a worker stands still briefly",
              WorkerFaults::hiccup,
              Trait.STRIKES_WORKERS_ALONE),
          Scenario.of(
                  "worker-term",
                  "a worker is told to stop (SIGTERM)",
                  WorkerFaults::terminate,
                  Trait.STRIKES_WORKERS_ALONE)
              .seldom(),
          Scenario.of(
                  "rolling-restart",
                  "all workers are replaced in turn, and a key of seals comes",
                  WorkerFaults::roll,
                  Trait.STRIKES_WORKERS_ALONE)
              .rarely(),
          Scenario.of(
                  "rolling-deploy",
                  "all are replaced by the next version, which has migrated, and back again",
                  Deployment::roll,
                  Trait.NEVER_PAUSES)
              .rarely(),
          Scenario.of(
                  "server-kill",
                  "the server is killed and started again",
                  ServerFaults::kill,
                  Trait.KILLS_THE_SERVER)
              .seldom(),
          // MariaDB waits for open transactions first, and their next statements wait for it.
          Scenario.of("read-only", "the server takes no writes for a while", ServerFaults::readOnly)
              .seldom()
              .with("--handler-timeout=5s"),
          Scenario.of(
                  "too-many-connections",
                  "all connections end and none is let in for a while",
                  ServerFaults::tooManyConnections)
              .seldom(),
          Scenario.of(
              "kill-connection", "a connection of a worker ends", ServerFaults::killConnection),
          Scenario.of("kill-query", "a statement of a worker is ended", ServerFaults::killQuery),
          Scenario.of(
              "liveness-lock", "a living worker's lock is lost", ServerFaults::loseLivenessLock),
          Scenario.of(
              "small-packets", "max_allowed_packet falls to 16 KB", ServerFaults::smallPackets),
          Scenario.of("wire-cut", "a worker's connections are cut", WireFaults::cut),
          Scenario.of(
              "wire-delay",
              "a worker's packets are late",
              WireFaults::delay,
              Trait.STRIKES_WORKERS_ALONE),
          Scenario.of(
                  "wire-freeze",
                  "a worker's packets stand still beyond its lease",
                  WireFaults::freeze,
                  Trait.STRIKES_WORKERS_ALONE)
              .seldom(),
          Scenario.of(
                  "wire-half-open",
                  "the server forgets a worker's connections",
                  WireFaults::halfOpen)
              .rarely(),
          Scenario.of("commit-unknown", "a COMMIT or its answer is lost", WireFaults::loseCommit),
          Scenario.of(
              "lock-wait", "strangers hold rows beyond the lock wait timeout", LockFaults::hold),
          Scenario.of(
              "deadlock",
              "strangers make deadlocks with settlements",
              LockFaults::deadlock,
              Trait.MAKES_DEADLOCKS),
          Scenario.of(
                  "clock",
                  "a worker's clock jumps, by up to an hour and a half",
                  WorkerFaults::setClock,
                  Trait.FAKES_CLOCKS,
                  Trait.STRIKES_WORKERS_ALONE)
              .seldom(),
          Scenario.of(
                  "bad-handlers",
                  "handlers throw Errors, hang, leak, close, commit, swallow",
                  Scenarios::nothing,
                  Trait.STRIKES_WORKERS_ALONE)
              .seldom()
              .with(MISBEHAVING)
              .with("--handler-timeout=2s", "--max-attempts=3"),
          Scenario.of(
                  "operators",
                  "operators cancel, reschedule, redrive, discard and pause",
                  Scenarios::harmless,
                  Trait.HAS_OPERATORS)
              .seldom(),
          Scenario.of(
                  "odd-rows",
                  "rows that no codec reads, of topics that nobody knows",
                  OddRows::insert,
                  Trait.STRIKES_WORKERS_ALONE)
              .seldom()
              .with("--max-attempts=3"),
          Scenario.of(
                  "poison",
                  "a message ends every process that handles it",
                  WorkerFaults::poison,
                  Trait.STRIKES_WORKERS_ALONE)
              .rarely()
              .with("--max-lost=3"));

  private Scenarios() {}

  /** Each by itself, and then all mixed. */
  static List<Scenario> all() {
    return java.util.stream.Stream.concat(ALONE.stream(), java.util.stream.Stream.of(mixed()))
        .toList();
  }

  static Optional<Scenario> named(String name) {
    return all().stream().filter(scenario -> scenario.name().equals(name)).findFirst();
  }

  /** The handlers are the fault. */
  private static Set<Long> nothing(Rig rig, RandomGenerator random) {
    Pauses.between(500, 1_000, random);
    return Fault.EVERYBODY;
  }

  /** Operators may do what they like: nothing is handled twice because of it. */
  private static Set<Long> harmless(Rig rig, RandomGenerator random) {
    nothing(rig, random);
    return Fault.NOBODY;
  }

  private static Scenario mixed() {
    return Scenario.of(
            "mixed",
            "all of these, by turns",
            Scenarios::any,
            Trait.MAKES_DEADLOCKS,
            Trait.HAS_OPERATORS)
        // The poison ends so many processes; nobody else is hit so often.
        .with("--max-lost=10")
        .with(
            new Mix(
                List.of(
                    What.FAIL_ONCE,
                    What.REJECT,
                    What.GIVE_BACK,
                    What.ERROR,
                    What.CLOSE,
                    What.SWALLOW_DEADLOCK),
                20));
  }

  private static Set<Long> any(Rig rig, RandomGenerator random) throws Exception {
    Scenario one = ALONE.get(random.nextInt(ALONE.size()));
    if (one.obstacle(rig.server()) != null || one.has(Trait.FAKES_CLOCKS)) {
      return any(rig, random);
    }
    one.fault().strike(rig, random);
    return Fault.EVERYBODY;
  }
}
