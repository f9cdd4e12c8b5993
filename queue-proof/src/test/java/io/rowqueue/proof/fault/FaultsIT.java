package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowqueue.proof.SecondServer;
import io.rowqueue.proof.crash.ClassArchives;
import io.rowqueue.proof.turns.Alone;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The fault harness, briefly. The long form is one command: see {@code docs/reliability.md}. The
 * property {@code rowqueue.test.start} is a shell command that starts the server of {@code
 * rowqueue.test.url} again; without it nobody kills that server.
 */
@Alone
class FaultsIT {

  /** Most of a run's time is that of processes that start, and of leases that run out. */
  private static final int FAULTS = 1;

  private static final int MESSAGES = 100;

  /**
   * Fewer than workers handle, also while some of them start, and beside all that comes of the
   * features: a backlog only takes time.
   */
  private static final int PER_SECOND = 40;

  private static Server server;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path home;

  @BeforeAll
  static void open() {
    String url = System.getProperty("rowqueue.test.url", "");
    server =
        url.isEmpty()
            ? Server.embedded()
            : Server.at(url, System.getProperty("rowqueue.test.start"));
    System.setProperty(WorkerProcess.JAVA_OPTIONS, String.join(" ", ClassArchives.ofWorker()));
  }

  @AfterAll
  static void close() {
    System.clearProperty(WorkerProcess.JAVA_OPTIONS);
    server.close();
  }

  static List<Scenario> scenarios() {
    return Scenarios.all().stream()
        .filter(
            scenario ->
                !SecondServer.IS_HERE || !scenario.has(Scenario.Trait.STRIKES_WORKERS_ALONE))
        .toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("scenarios")
  void booksBalance_whatever(Scenario scenario) throws Exception {
    String obstacle = scenario.obstacle(server);
    assumeTrue(obstacle == null, obstacle);
    long seed = ThreadLocalRandom.current().nextInt(1_000_000);
    Plan plan = new Plan(seed, FAULTS, MESSAGES, null, PER_SECOND);
    Result result = new Run(server, scenario, plan, home, System.out).run();
    // In one line, since of a failure not everybody sees more than its first.
    assertThat(result.findings())
        .withFailMessage(
            "%s; seed %d, logs and journals are kept in %s",
            String.join("; ", result.findings()), seed, home)
        .isEmpty();
    assertThat(result.messages()).isGreaterThanOrEqualTo(MESSAGES);
    assertThat(result.lost()).isZero();
    assertThat(result.doubled()).isZero();
  }
}
