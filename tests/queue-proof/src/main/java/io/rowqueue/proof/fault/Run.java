package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One scenario: faults are injected while messages flow, then the queue drains, then the audit. */
final class Run {

  private static final Logger LOG = LoggerFactory.getLogger(Run.class);
  private static final int WORKERS = 3;
  private static final int LONGEST_CALM_MILLIS = 400;
  private static final int BETWEEN_FAULTS_MILLIS = 2_000;
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final Duration LONGEST_IDLE = Duration.ofSeconds(20);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
  private static final long BETWEEN_COUNTS_MILLIS = 200;

  /** So many fewer messages are progress; the last ones have the whole time for themselves. */
  private static final long ENOUGH = 100;

  /** Of what may go on without a pause; or thrice as long as the longest without a fault. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private static final String LEFT =
      "SELECT CONCAT('message ', id, ' of ', topic, ' stays in state ', state, ', claimed ',"
          + " claim_number, ' times') FROM queue_message WHERE topic <> '"
          + FaultTopics.UNKNOWN
          + "' LIMIT 20";

  /** One statement, so that what goes from one table to the other is never in neither. */
  private static final String DEPTH =
      "SELECT (SELECT COUNT(*) FROM queue_message WHERE topic <> '%s')"
              .formatted(FaultTopics.UNKNOWN)
          + " + (SELECT COUNT(*) FROM queue_dead_letter WHERE topic = '%s')"
              .formatted(FaultTopics.HELD);

  private final Cluster.Server server;
  private final Scenario scenario;
  private final Plan plan;
  private final Path home;
  private final PrintStream out;
  private final RandomGenerator random;
  private final List<Injection> injections = new ArrayList<>();
  private final List<String> findings = new ArrayList<>();
  private @Nullable Duration slowest;

  /** One run. */
  Run(Cluster.Server server, Scenario scenario, Plan plan, Path home, PrintStream out) {
    this.server = server;
    this.scenario = scenario;
    this.plan = plan;
    this.home = home;
    this.out = out;
    this.random = Client.seeded(plan.seed() + scenario.name().hashCode());
  }

  Result run() throws Exception {
    long start = System.nanoTime();
    try (Cluster cluster = new Cluster(server, scenario, plan.javaOptions(), home);
        Workload workload =
            new Workload(
                cluster,
                scenario.mix(),
                plan.perSecond(),
                scenario.has(Scenario.Trait.HAS_OPERATORS),
                plan.seed() ^ 0x5DEECE66DL)) {
      try {
        cluster.start(WORKERS);
        workload.start();
        inject(cluster, workload, start);
        drain(cluster, workload);
      } catch (Exception | AssertionError e) {
        // Whatever it is, the other scenarios can still be run.
        LOG.error("{} was broken off", scenario.name(), e);
        findings.add("the run was broken off: " + e);
        // The ledger is read of a queue in which nothing happens.
        workload.stop();
        workload.stopMending();
        cluster.killAll();
      }
      return audit(cluster, workload, start);
    }
  }

  private void inject(Cluster cluster, Workload workload, long start) throws Exception {
    while (!plan.isOver(injections.size(), workload.enqueued(), System.nanoTime() - start)) {
      awaitTraffic(cluster);
      Client.pause(
          scenario.anyOrder()
              ? random.nextInt(LONGEST_CALM_MILLIS)
              : injections.isEmpty() ? 0 : BETWEEN_FAULTS_MILLIS);
      inject(cluster, scenario.next(injections.size(), random));
      out.printf(
          Locale.ROOT,
          "\r%-22s %,6d faults, %,9d messages ",
          scenario.name(),
          injections.size(),
          workload.enqueued());
      out.flush();
    }
    awaitUse(cluster);
  }

  /** Waits until workers have claims, or a fault would hit none; gives up after a while. */
  private static void awaitTraffic(Cluster cluster) {
    try {
      Await.until(
          "two claims are in flight", LONGEST_IDLE, cluster::inFlight, each -> each.size() > 1);
    } catch (AssertionError e) {
      LOG.info("nothing is in flight, and the fault is injected all the same");
    }
  }

  private void inject(Cluster cluster, Scenario.Step step) throws Exception {
    Recovery recovery = Recovery.watch(cluster.database(), cluster.inFlight());
    long from = System.nanoTime();
    long healed = from;
    long recovered = Long.MAX_VALUE;
    Set<Long> victims = Injection.EVERYBODY;
    try {
      victims = step.fault().inject(cluster, random);
      healed = System.nanoTime();
      Duration took = recovery.await();
      if (took == null) {
        findings.add(
            "claims outlived fault %d (%s) by minutes"
                .formatted(injections.size() + 1, step.name()));
      } else {
        recovered = from + took.toNanos();
        slowest = slowest == null || took.compareTo(slowest) > 0 ? took : slowest;
      }
    } finally {
      long until = Math.max(healed + step.aftermath().toNanos(), recovered);
      injections.add(new Injection(step.name(), from, healed, until, victims));
    }
  }

  /** A short run goes on until every feature was used, or it would show nothing of some. */
  private static void awaitUse(Cluster cluster) {
    List<Invariant> unused = new ArrayList<>(Invariant.ALL);
    unused.removeIf(each -> each.kind() != Invariant.Kind.NOT_EXERCISED);
    try {
      Await.that(
          "all features are used",
          LONGEST_WAIT,
          () -> {
            unused.removeIf(each -> each.findings(cluster.database()).isEmpty());
            return unused.isEmpty();
          });
    } catch (AssertionError e) {
      LOG.info("the audit will name what was not used: {}", unused);
    }
  }

  /** What the last faults ended is replaced first: the other workers may not have all the keys. */
  private void drain(Cluster cluster, Workload workload) throws Exception {
    workload.stop();
    List<String> left;
    do {
      cluster.replaceTheDead();
      left = awaitEmptyOrDeath(cluster);
    } while (!left.isEmpty() && !cluster.allAreAlive());
    findings.addAll(left);
    workload.stopMending();
    cluster.replaceTheDead();
    cluster.awaitAll();
    // While workers live, each feature must work as if nothing had been.
    findings.addAll(workload.finalFindings());
    findings.addAll(awaitEmptyOrDeath(cluster));
    workload.pauseSchedules();
    for (Cluster.Worker worker : cluster.workers()) {
      cluster.stop(worker);
    }
    findings.addAll(
        FeatureClients.sweepPayloads(cluster.database(), FileBodyStore.in(cluster.payloads())));
  }

  /**
   * Waits until the queue holds nothing that a handler is bound to, or a worker has ended. Gives up
   * when nothing leaves it any more: how long a backlog takes is the machine's business.
   */
  private static List<String> awaitEmptyOrDeath(Cluster cluster) throws SQLException {
    long least = Long.MAX_VALUE;
    while (least > 0 && (least == Long.MAX_VALUE || cluster.allAreAlive())) {
      long before = least;
      try {
        least =
            Await.until(
                "messages leave the queue",
                LONGEST,
                () -> depth(cluster),
                depth -> depth == 0 || depth <= before - ENOUGH || !cluster.allAreAlive());
      } catch (AssertionError e) {
        LOG.info("messages stay in the queue", e);
        break;
      }
    }
    return cluster.strings(LEFT);
  }

  private static long depth(Cluster cluster) throws SQLException {
    Client.pause(BETWEEN_COUNTS_MILLIS);
    return Long.parseLong(cluster.strings(DEPTH).get(0));
  }

  private Result audit(Cluster cluster, Workload workload, long start) throws IOException {
    QueueDatabase database = cluster.database();
    cluster.deadlocks().read();
    if (cluster.deadlocks().ours() > 0) {
      findings.add(
          "%d deadlocks that no fault has made: %s"
              .formatted(cluster.deadlocks().ours(), cluster.deadlocks().report()));
    }
    Journal journal = Journal.read(home);
    pauses(journal);
    findings.addAll(cluster.reports());
    Map<String, List<String>> broken = Invariant.findings(database, Invariant.Kind.BROKEN);
    broken.forEach((name, each) -> findings.addAll(each));
    HandlingAudit audit =
        new HandlingAudit(HandlingAudit.Facts.read(database), journal, injections);
    findings.addAll(audit.findings());
    Invariant.findings(database, Invariant.Kind.NOT_EXERCISED)
        .forEach((name, each) -> findings.addAll(each));
    return new Result(
        scenario.name(),
        injections.size(),
        database.count("SELECT COUNT(*) FROM enqueued"),
        database.count("SELECT COUNT(*) FROM queue_dead_letter"),
        database.count("SELECT COUNT(*) FROM place WHERE place = 'removed'"),
        broken.getOrDefault("lost", List.of()).size() + audit.lostOutside(),
        broken.getOrDefault("doubled", List.of()).size(),
        audit.againOutside(),
        workload.refused(),
        cluster.deadlocks().ours() + cluster.deadlocks().injected(),
        slowest,
        cluster.stops().stream()
            .map(Cluster.Stopped::after)
            .max(Comparator.naturalOrder())
            .orElse(null),
        Duration.ofNanos(System.nanoTime() - start),
        List.copyOf(findings));
  }

  /**
   * Under a steady load, the time between the ends of two handlings is the pause that users notice.
   * It is judged against the longest one in which nothing was injected, since a busy machine pauses
   * all processes.
   */
  private void pauses(Journal journal) {
    List<Injection> steady =
        injections.stream().filter(each -> Scenario.neverPauses(each.fault())).toList();
    long usual = 0;
    for (int i = 1; i < injections.size() && !steady.isEmpty(); i++) {
      usual =
          Math.max(
              usual,
              journal.longestPauseNanos(injections.get(i - 1).until(), injections.get(i).from()));
    }
    long most = Math.max(LONGEST_PAUSE.toNanos(), 3 * usual);
    for (Injection each : steady) {
      long longest = journal.longestPauseNanos(each.from(), each.healed());
      out.printf(
          Locale.ROOT,
          "%n%s: within %.1f s, no handling ended for %d ms at most%n",
          each.fault(),
          Duration.ofNanos(each.healed() - each.from()).toMillis() / 1_000.0,
          TimeUnit.NANOSECONDS.toMillis(longest));
      if (longest > most) {
        findings.add(
            "nothing was handled for %d ms".formatted(TimeUnit.NANOSECONDS.toMillis(longest)));
      }
    }
  }

  /**
   * Watches, while a fault is injected, the claims that were in flight before, until each of them
   * has been settled or reaped.
   */
  private record Recovery(FutureTask<Duration> took) {

    static Recovery watch(QueueDatabase database, Set<String> claims) {
      long since = System.nanoTime();
      FutureTask<Duration> watching =
          new FutureTask<>(
              () -> {
                awaitEnd(database, new HashSet<>(claims));
                return Duration.ofNanos(System.nanoTime() - since);
              });
      Thread thread = new Thread(watching, "recovery");
      thread.setDaemon(true);
      thread.start();
      return new Recovery(watching);
    }

    private static void awaitEnd(QueueDatabase database, Set<String> left) {
      try (Cluster.Queries queries = new Cluster.Queries(database)) {
        Await.until(
            "the claims of before the fault end",
            LONGEST,
            () -> left.retainAll(Cluster.inFlight(queries)),
            any -> left.isEmpty());
      }
    }

    /** How long it took; null if one of them never ends. */
    @Nullable Duration await() throws InterruptedException {
      try {
        return took.get();
      } catch (ExecutionException e) {
        return null;
      }
    }
  }

  /** How long a run is, and from which seed. */
  record Plan(
      long seed,
      int faults,
      long messages,
      @Nullable Duration longest,
      int perSecond,
      List<String> javaOptions) {

    private boolean isOver(int injected, long enqueued, long nanos) {
      boolean tooLong = longest != null && nanos > longest.toNanos();
      return tooLong || (injected >= faults && enqueued >= messages);
    }
  }

  /**
   * What a run came to.
   *
   * @param lost committed messages that are nowhere
   * @param doubled transactional effects that happened twice or apart from their message's deletion
   * @param again external effects that happened again, each explained by a fault
   * @param refused producers' transactions that failed
   * @param deadlocks that the server counted, those that faults made among them
   * @param slowest the longest that claims of before a fault lived on; null without a fault
   * @param slowestStop of a worker that was told to; null if none was
   * @param findings what is broken or was not exercised; empty if nothing
   */
  record Result(
      String scenario,
      int faults,
      long messages,
      long deadLetters,
      long removed,
      int lost,
      int doubled,
      int again,
      long refused,
      long deadlocks,
      @Nullable Duration slowest,
      @Nullable Duration slowestStop,
      Duration took,
      List<String> findings) {

    boolean isGood() {
      return findings.isEmpty();
    }
  }
}
