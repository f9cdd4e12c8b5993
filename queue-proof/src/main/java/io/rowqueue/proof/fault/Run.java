package io.rowqueue.proof.fault;

import io.rowqueue.body.FileBodyStore;
import io.rowqueue.proof.fault.WorkerProcess.Stopped;
import io.rowqueue.testkit.Await;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One scenario: faults strike while messages flow, then the queue drains, then the audit. */
final class Run {

  private static final Logger LOG = LoggerFactory.getLogger(Run.class);
  private static final int LONGEST_CALM_MILLIS = 400;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /** A worker whose ring has failed rings for nobody for a minute. */
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(2);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final Server server;
  private final Scenario scenario;
  private final Plan plan;
  private final Path home;
  private final PrintStream out;
  private final RandomGenerator random;
  private final List<Strike> strikes = new ArrayList<>();
  private final List<String> findings = new ArrayList<>();
  private @Nullable Duration slowest;

  /**
   * One run.
   *
   * @param home an empty folder for logs and journals
   */
  Run(Server server, Scenario scenario, Plan plan, Path home, PrintStream out) {
    this.server = server;
    this.scenario = scenario;
    this.plan = plan;
    this.home = home;
    this.out = out;
    this.random = Plan.seeded(plan.seed() + scenario.name().hashCode());
  }

  /** Runs it to its end. */
  Result run() throws Exception {
    long start = System.nanoTime();
    try (Rig rig =
        new Rig(
            server, scenario, home, plan.perSecond(), Plan.seeded(plan.seed() ^ 0x5DEECE66DL))) {
      try {
        rig.fleet().start(scenario.workers());
        rig.startPeople();
        faults(rig, start);
        drain(rig);
      } catch (Exception | AssertionError e) {
        // Whatever it is, the other scenarios still have something to say.
        LOG.error("{} was broken off", scenario.name(), e);
        findings.add("the run was broken off: " + e);
        // The books are read of a queue that stands still.
        rig.stopPeople();
        rig.stopMending();
        rig.fleet().close();
      }
      return result(rig, start);
    }
  }

  private void faults(Rig rig, long start) throws Exception {
    while (!plan.isOver(strikes.size(), rig.producer().enqueued(), System.nanoTime() - start)) {
      rig.awaitTraffic();
      Pauses.between(0, LONGEST_CALM_MILLIS, random);
      strike(rig);
    }
    awaitUse(rig);
  }

  /** A short run goes on until everything had its turn, or its audit would say nothing of some. */
  private static void awaitUse(Rig rig) {
    try {
      Await.until("all features are used", LONGEST_WAIT, rig::unused, List::isEmpty);
    } catch (AssertionError e) {
      LOG.info("the audit will name what was not used", e);
    }
  }

  private void strike(Rig rig) throws Exception {
    Recovery recovery = Recovery.watch(rig.database(), rig.inFlight());
    long from = System.nanoTime();
    Set<Long> victims = Fault.EVERYBODY;
    try {
      victims = scenario.fault().strike(rig, random);
    } finally {
      strikes.add(new Strike(from, System.nanoTime(), victims));
    }
    Duration took = recovery.await();
    if (took == null) {
      findings.add("claims outlived fault %d by minutes".formatted(strikes.size()));
    } else if (slowest == null || took.compareTo(slowest) > 0) {
      slowest = took;
    }
    out.printf(
        Locale.ROOT,
        "\r%-22s %,6d faults, %,9d messages ",
        scenario.name(),
        strikes.size(),
        rig.producer().enqueued());
    out.flush();
  }

  /** Whoever the last faults ended comes back first: nobody else would handle what is left. */
  private void drain(Rig rig) throws IOException, InterruptedException, SQLException {
    rig.stopPeople();
    List<String> left;
    do {
      rig.fleet().replaceTheDead();
      left = rig.awaitEmptyOrDeath();
    } while (!left.isEmpty() && !rig.fleet().allAreAlive());
    findings.addAll(left);
    rig.stopMending();
    rig.fleet().replaceTheDead();
    rig.fleet().awaitAll();
    findings.addAll(rig.lastRepeater().findings());
    findings.addAll(rig.awaitEmptyOrDeath());
    // By the verdicts of workers, while there are some.
    findings.addAll(rig.hasty().findings());
    findings.addAll(rig.asker().findings(LONGEST_WAIT, LONGEST_SILENCE));
    Optional.ofNullable(rig.features().schedules().finding(LONGEST_WAIT)).ifPresent(findings::add);
    for (WorkerProcess worker : rig.fleet().all()) {
      WorkerFaults.stop(rig, worker);
    }
    findings.addAll(
        rig.features().streams().leftAfterSweep(FileBodyStore.in(rig.fleet().bodies())));
  }

  /** Under a steady load, the time between two handlings' ends is the pause that users see. */
  private void pauses(Journal journal) {
    for (Strike strike : strikes) {
      Duration longest = Duration.ofNanos(journal.longestPauseNanos(strike.from(), strike.to()));
      out.printf(
          Locale.ROOT,
          "%n%s: within %.1f s, no handling ended for %d ms at most%n",
          scenario.name(),
          Duration.ofNanos(strike.to() - strike.from()).toMillis() / 1_000.0,
          longest.toMillis());
      if (longest.compareTo(LONGEST_PAUSE) > 0) {
        findings.add("nothing was handled for %d ms".formatted(longest.toMillis()));
      }
    }
  }

  private Result result(Rig rig, long start) throws IOException {
    rig.deadlocks().read();
    long deadlocks = rig.deadlocks().sinceStart();
    if (deadlocks > 0 && !scenario.has(Scenario.Trait.MAKES_DEADLOCKS)) {
      findings.add(deadlocks + " deadlocks of our own: " + rig.lastDeadlock());
    }
    Journal journal = Journal.read(home);
    if (scenario.has(Scenario.Trait.NEVER_PAUSES)) {
      pauses(journal);
    }
    Audit audit = Audit.of(rig.database(), rig.ledger(), journal, strikes);
    findings.addAll(rig.reports());
    findings.addAll(audit.findings());
    findings.addAll(rig.features().findings());
    findings.addAll(rig.features().unused());
    return new Result(
        scenario,
        strikes.size(),
        rig.ledger().enqueued(),
        rig.ledger().effects(),
        rig.ledger().deadLetters(),
        rig.ledger().removed(),
        audit.lost(),
        audit.doubled(),
        audit.handledAgainOutside(),
        rig.producer().refused(),
        deadlocks,
        slowest,
        rig.stops().stream().map(Stopped::after).max(Comparator.naturalOrder()).orElse(null),
        Duration.ofNanos(System.nanoTime() - start),
        List.copyOf(findings));
  }
}
