package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowqueue.proof.sample.Sample;
import io.rowqueue.tests.process.ClassArchives;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The fault harness, briefly: one cluster with two faults in the quick tier, which one changes with
 * the commit; one of the seven clusters in CI; all of them, and each fault alone, in full. The long
 * form is one command: see {@code README.md}. The property {@code rowqueue.test.start} is a shell
 * command that starts the server of {@code rowqueue.test.url} again; without it that server is not
 * killed. {@code rowqueue.test.cell} names the scenario that runs, and {@code rowqueue.test.seed}
 * repeats its choices.
 */
@ResourceLock(providers = WholeServer.class)
class FaultsIT {

  private static final int MESSAGES = 100;

  /**
   * Fewer than workers handle, also while some of them start, and beside all that comes of the
   * features: a backlog only takes time.
   */
  private static final int PER_SECOND = 40;

  private static final String CELL = System.getProperty("rowqueue.test.cell", "");
  private static final String TIER = System.getProperty("rowqueue.test.sample", "quick");

  private static Cluster.Server server;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path home;

  @BeforeAll
  static void open() {
    String url = System.getProperty("rowqueue.test.url", "");
    server =
        url.isEmpty()
            ? Cluster.Server.embedded()
            : Cluster.Server.at(url, System.getProperty("rowqueue.test.start"));
  }

  @AfterAll
  static void close() {
    server.close();
  }

  /** Two of its faults that are quick; or what the cell names. */
  static List<Scenario> brief() {
    if (!TIER.equals("quick") || !CELL.isEmpty()) {
      return Scenario.named(CELL).filter(each -> TIER.equals("quick")).stream().toList();
    }
    Scenario chosen = sample().get(0);
    List<Scenario.Step> quick =
        chosen.steps().stream()
            .filter(step -> !step.traits().contains(Scenario.Trait.IS_SLOW))
            .toList();
    List<Scenario.Step> some =
        Sample.of(FaultsIT.class, Math.max(1, quick.size() / 2), quick).cells();
    return List.of(chosen.only(some::contains));
  }

  /** One of the seven clusters in CI, all of them in full. */
  static List<Scenario> clusters() {
    return TIER.equals("quick") ? List.of() : sample();
  }

  static List<Scenario> alone() {
    return TIER.equals("all") ? Scenario.all() : List.of();
  }

  private static List<Scenario> sample() {
    return Sample.of(FaultsIT.class, Scenario.TOGETHER.size(), Scenario.TOGETHER).cells();
  }

  @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
  @MethodSource
  void brief(Scenario scenario) throws Exception {
    // So few processes start that an archive of their classes would cost more than it saves.
    run(scenario, List.of());
  }

  @Tag("ci")
  @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
  @MethodSource
  void clusters(Scenario scenario) throws Exception {
    run(scenario, ClassArchives.ofWorker());
  }

  @Tag("full")
  @ParameterizedTest(name = "{0}", allowZeroInvocations = true)
  @MethodSource
  void alone(Scenario scenario) throws Exception {
    run(scenario, ClassArchives.ofWorker());
  }

  private void run(Scenario scenario, List<String> java) throws Exception {
    String obstacle = scenario.obstacle(server);
    assumeTrue(obstacle == null, obstacle);
    Scenario possible = scenario.on(server);
    long seed = Long.getLong("rowqueue.test.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    int faults = possible.anyOrder() ? 1 : possible.steps().size();
    Run.Plan plan = new Run.Plan(seed, faults, MESSAGES, null, PER_SECOND, java);
    Run.Result result = new Run(server, possible, plan, home, System.out).run();
    System.out.printf("%n%s, seed %d: %d s%n", scenario, seed, result.took().toSeconds());
    // In one line, since reports may show no more than the first of a failure.
    assertThat(result.findings())
        .withFailMessage(
            "%s; logs and journals are kept in %s; repeat it with -Drowqueue.test.cell=%s"
                + " -Drowqueue.test.seed=%d",
            String.join("; ", result.findings()), home, scenario, seed)
        .isEmpty();
    assertThat(result.messages()).isGreaterThanOrEqualTo(MESSAGES);
    assertThat(result.lost()).isZero();
    assertThat(result.doubled()).isZero();
  }
}
