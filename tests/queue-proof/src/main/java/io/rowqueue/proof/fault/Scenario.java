package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.ServerFaults.WireFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Faults that are injected into one cluster, one after the other and over and over. */
record Scenario(String name, String description, List<Step> steps, boolean anyOrder) {

  /** What sets some faults apart. */
  enum Trait {
    /** It needs a server that it may kill. */
    KILLS_THE_SERVER,
    /** Its workers have clocks of their own. */
    FAKES_CLOCKS,
    /** Operators interfere all the time. */
    HAS_OPERATORS,
    /** The cluster goes on handling messages while it lasts. */
    NEVER_PAUSES,
    /** One takes up to a minute. */
    IS_SLOW
  }

  /** Something that goes wrong. */
  interface Fault {
    /** Injects it, and heals what must be healed before it returns. */
    Set<Long> inject(Cluster cluster, RandomGenerator random) throws Exception;
  }

  /** A fault, and what else must be so. */
  record Step(
      String name,
      String description,
      Fault fault,
      Duration aftermath,
      Workload.Mix mix,
      List<String> options,
      Set<Trait> traits) {

    /** Until a victim has noticed: its lease is renewed each second. */
    private static final Duration USUAL_AFTERMATH = Duration.ofSeconds(2);

    static Step of(String name, String description, Fault fault, Trait... traits) {
      return new Step(
          name, description, fault, USUAL_AFTERMATH, Workload.Mix.USUAL, List.of(), Set.of(traits));
    }

    Step with(String... more) {
      return new Step(name, description, fault, aftermath, mix, List.of(more), traits);
    }

    Step with(Workload.Mix other) {
      return new Step(name, description, fault, aftermath, other, options, traits);
    }

    Step with(Duration longer) {
      return new Step(name, description, fault, longer, mix, options, traits);
    }

    private @Nullable String obstacle(Cluster.Server server) {
      if (traits.contains(Trait.KILLS_THE_SERVER) && !server.restarts()) {
        return "it needs a command that starts the server again";
      }
      if (traits.contains(Trait.FAKES_CLOCKS) && !WorkerFaults.FakeClock.isThere()) {
        return "it needs Debian's package libfaketime";
      }
      return null;
    }
  }

  private static final List<Step> STEPS =
      List.of(
          Step.of("worker-kill", "a worker is killed (SIGKILL)", WorkerFaults::kill),
          Step.of(
              "worker-pause",
              "a worker is stopped beyond its lease (SIGSTOP)",
              WorkerFaults::pause),
          Step.of("worker-hiccup", "a worker is stopped briefly", WorkerFaults::hiccup),
          Step.of("worker-term", "a worker is told to stop (SIGTERM)", WorkerFaults::terminate),
          Step.of(
              "rolling-restart",
              "all workers are replaced in turn, and an encryption key is added",
              WorkerFaults::roll),
          Step.of(
              "rolling-deploy",
              "all are replaced by the next version, which has migrated, and back again",
              Deployment::roll,
              Trait.NEVER_PAUSES,
              Trait.IS_SLOW),
          Step.of(
              "server-kill",
              "the server is killed and started again",
              ServerFaults::kill,
              Trait.KILLS_THE_SERVER),
          // MariaDB waits for open transactions first, and their next statements wait for it.
          Step.of("read-only", "the server takes no writes for a while", ServerFaults::readOnly)
              .with("--handler-timeout=5s"),
          Step.of(
              "too-many-connections",
              "all connections end and none is let in for a while",
              ServerFaults::tooManyConnections),
          Step.of(
              "password-change",
              "the workers' password changes, and their file later",
              ServerFaults::changePassword),
          Step.of(
              "refused-rows",
              "a trigger refuses settlements of some messages",
              ServerFaults::refuseRows),
          Step.of("kill-connection", "a worker's connection ends", ServerFaults::killConnection),
          Step.of("kill-query", "a worker's statement is ended", ServerFaults::killQuery),
          Step.of(
              "liveness-lock", "a living worker's lock is lost", ServerFaults::loseLivenessLock),
          Step.of("small-packets", "max_allowed_packet falls to 16 KB", ServerFaults::smallPackets),
          Step.of(
              "few-prepared-statements",
              "max_prepared_stmt_count falls below what is in use",
              ServerFaults::fewPreparedStatements),
          Step.of("wire-cut", "a worker's connections are cut", WireFaults::cut),
          Step.of("wire-delay", "a worker's packets are late", WireFaults::delay),
          Step.of("wire-freeze", "a worker's packets stop beyond its lease", WireFaults::freeze),
          // A connection in the pool hangs until its socket times out, whenever it is used.
          Step.of(
                  "wire-half-open",
                  "the server forgets a worker's connections",
                  WireFaults::halfOpen,
                  Trait.IS_SLOW)
              .with(Duration.ofSeconds(90)),
          Step.of("commit-unknown", "a COMMIT or its answer is lost", WireFaults::loseCommit),
          Step.of(
              "lock-wait",
              "another client locks rows beyond the lock wait timeout",
              ServerFaults::lockRows),
          Step.of(
              "deadlock",
              "another client makes deadlocks with settlements",
              ServerFaults::deadlock),
          Step.of(
              "clock",
              "a worker's clock jumps, by up to an hour and a half",
              WorkerFaults::setClock,
              Trait.FAKES_CLOCKS),
          Step.of(
                  "bad-handlers",
                  "handlers throw Errors, hang, leak, close, commit, swallow, change their session",
                  WorkerFaults::none)
              .with(Workload.Mix.MISBEHAVING)
              .with("--handler-timeout=2s", "--max-attempts=3"),
          Step.of(
              "operators",
              "operators cancel, reschedule, redrive, discard and pause",
              WorkerFaults::none,
              Trait.HAS_OPERATORS),
          Step.of(
                  "odd-rows",
                  "rows that no codec reads, of topics without a handler",
                  ServerFaults::insertOddRows)
              .with("--max-attempts=3"),
          Step.of("poison", "a message ends every process that handles it", WorkerFaults::poison)
              .with("--max-lost-claims=3"));

  /** Each fault in a cluster of its own. */
  static final List<Scenario> ALONE =
      STEPS.stream()
          .map(step -> new Scenario(step.name(), step.description(), List.of(step), true))
          .toList();

  /** All faults but poison, in seven clusters: those share one that need the same of it. */
  static final List<Scenario> TOGETHER =
      List.of(
          together(
              "workers",
              "worker-kill",
              "worker-pause",
              "worker-hiccup",
              "worker-term",
              "kill-connection",
              "kill-query",
              "liveness-lock"),
          together(
              "wire-and-locks",
              "wire-cut",
              "wire-delay",
              "wire-freeze",
              "commit-unknown",
              "small-packets",
              "few-prepared-statements",
              "too-many-connections",
              "password-change",
              "refused-rows",
              "lock-wait",
              "wire-half-open"),
          together("server", "server-kill", "read-only"),
          together("handlers-and-rows", "bad-handlers", "odd-rows"),
          together("restart-and-deploy", "rolling-restart", "rolling-deploy"),
          together("clocks", "clock"),
          together("operators-and-deadlocks", "operators", "deadlock"));

  static final Scenario MIXED =
      new Scenario(
          "mixed",
          "all faults in any order",
          STEPS.stream().filter(step -> !step.traits().contains(Trait.FAKES_CLOCKS)).toList(),
          true);

  private static Scenario together(String name, String... faults) {
    List<String> names = List.of(faults);
    return new Scenario(
        name,
        String.join(", ", names),
        STEPS.stream()
            .filter(step -> names.contains(step.name()))
            .sorted(Comparator.comparing(step -> names.indexOf(step.name())))
            .toList(),
        false);
  }

  static List<Scenario> all() {
    return Stream.concat(ALONE.stream(), Stream.of(MIXED)).toList();
  }

  static Optional<Scenario> named(String name) {
    return Stream.concat(all().stream(), TOGETHER.stream())
        .filter(scenario -> scenario.name.equals(name))
        .findFirst();
  }

  /** Whether the cluster must go on handling messages while a fault lasts. */
  static boolean neverPauses(String fault) {
    return STEPS.stream()
        .anyMatch(step -> step.name().equals(fault) && step.traits().contains(Trait.NEVER_PAUSES));
  }

  /** With some of its faults. */
  Scenario only(Predicate<Step> chosen) {
    return new Scenario(name, description, steps.stream().filter(chosen).toList(), anyOrder);
  }

  /** The faults of it that {@code server} can have. */
  Scenario on(Cluster.Server server) {
    return only(step -> step.obstacle(server) == null);
  }

  /** Why none of it can run; null if some can. */
  @Nullable String obstacle(Cluster.Server server) {
    List<String> obstacles =
        steps.stream().map(step -> step.obstacle(server)).filter(Objects::nonNull).toList();
    return obstacles.size() < steps.size() ? null : String.join("; ", obstacles);
  }

  /** The fault that is injected behind {@code count} others. */
  Step next(int count, RandomGenerator random) {
    return steps.get(anyOrder ? random.nextInt(steps.size()) : count % steps.size());
  }

  boolean has(Trait trait) {
    return steps.stream().anyMatch(step -> step.traits().contains(trait));
  }

  /** What is enqueued: the mix of the fault that has one of its own. */
  Workload.Mix mix() {
    return isMixed()
        ? Workload.Mix.MIXED
        : steps.stream()
            .map(Step::mix)
            .filter(mix -> !mix.equals(Workload.Mix.USUAL))
            .findFirst()
            .orElse(Workload.Mix.USUAL);
  }

  /** The options of each worker; those of a fault replace the usual ones. */
  List<String> options() {
    List<String> options =
        new ArrayList<>(
            List.of(
                "--threads=8",
                "--lease-duration=3s",
                "--lease-renew-interval=1s",
                "--poll-interval=500ms",
                "--shutdown-timeout=10s",
                "--handler-timeout=20s",
                // Few messages shall be dead-lettered for lost claims where that is not the fault.
                "--max-lost-claims=1000"));
    if (isMixed()) {
      replace(options, "--max-lost-claims=10");
    } else {
      steps.forEach(step -> step.options().forEach(option -> replace(options, option)));
    }
    return options;
  }

  /** Poison ends so many processes; no other message is hit so often. */
  private boolean isMixed() {
    return name.equals(MIXED.name);
  }

  private static void replace(List<String> options, String option) {
    String flag = option.substring(0, option.indexOf('=') + 1);
    options.removeIf(usual -> usual.startsWith(flag));
    options.add(option);
  }

  @Override
  public String toString() {
    return name;
  }
}
