package io.rowqueue.proof.fault;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * The fault harness. Runs real workers on a real server, injects faults, and audits what they and
 * their clients wrote. Ends with 0 if nothing is broken; else it keeps the logs and journals of
 * what broke.
 */
@Command(
    name = "faults",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Injects faults into real workers and servers, and audits what became of it.")
public final class Faults implements Callable<Integer> {

  @Option(
      names = "--scenario",
      split = ",",
      paramLabel = "NAME",
      description = "Runs only these, separated by commas; see --list.")
  private List<String> names = List.of();

  @Option(names = "--list", description = "Lists the scenarios.")
  private boolean list;

  @Option(
      names = "--faults",
      defaultValue = "3",
      description = "Faults in each scenario (default: ${DEFAULT-VALUE}).")
  private int faults;

  @Option(
      names = "--messages",
      defaultValue = "0",
      description = "Minimum of messages in each scenario (default: ${DEFAULT-VALUE}).")
  private long messages;

  @Option(names = "--longest", description = "Ends each scenario after so long, as in PT10M.")
  private @Nullable Duration longest;

  @Option(
      names = "--per-second",
      defaultValue = "400",
      description = "Messages enqueued in a second (default: ${DEFAULT-VALUE}).")
  private int perSecond;

  @Option(names = "--seed", description = "Repeats the choices of a run; random if left out.")
  private @Nullable Long seed;

  @Option(
      names = "--url",
      description =
          "The JDBC URL of a server on this host, with an account that may do everything; an"
              + " embedded MariaDB if left out.")
  private @Nullable String url;

  @Option(
      names = "--start-server",
      description =
          "A shell command that starts the server of --url when it is down. Without it, no fault"
              + " kills that server.")
  private @Nullable String startCommand;

  @Option(
      names = "--evidence",
      description = "Where logs and journals of broken runs are kept (default: a new folder).")
  private @Nullable Path evidence;

  private final PrintStream out = System.out;

  /** For the command line. */
  public Faults() {}

  /** Runs it. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Faults()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (list) {
      Stream.of(Scenario.TOGETHER, Scenario.all())
          .flatMap(List::stream)
          .forEach(each -> out.printf("%-24s %s%n", each.name(), each.description()));
      return 0;
    }
    List<Scenario> scenarios =
        names.isEmpty() ? Scenario.all() : names.stream().map(Faults::named).toList();
    long from = seed == null ? ThreadLocalRandom.current().nextInt(1_000_000) : seed;
    Run.Plan plan = new Run.Plan(from, faults, messages, longest, perSecond, List.of());
    Path home = evidence == null ? Files.createTempDirectory("rowqueue-faults-") : evidence;
    out.printf("seed %d; evidence of what breaks is kept in %s%n", from, home);
    List<Run.Result> results = new ArrayList<>();
    try (Cluster.Server server =
        url == null ? Cluster.Server.embedded() : Cluster.Server.at(url, startCommand)) {
      for (Scenario scenario : scenarios) {
        String obstacle = scenario.obstacle(server);
        if (obstacle == null) {
          results.add(run(server, plan, scenario.on(server), home.resolve(scenario.name())));
        } else {
          out.printf("%-22s NOT RUN: %s%n", scenario.name(), obstacle);
        }
      }
    }
    out.println();
    print(results);
    return results.stream().allMatch(Run.Result::isGood) ? 0 : 1;
  }

  private Run.Result run(Cluster.Server server, Run.Plan plan, Scenario scenario, Path home)
      throws Exception {
    if (Files.exists(home)) {
      throw new ParameterException(
          new CommandLine(this),
          "%s holds what an earlier run left, which is not for this one's audit".formatted(home));
    }
    Files.createDirectories(home);
    Run.Result result = new Run(server, scenario, plan, home, out).run();
    out.printf(
        Locale.ROOT,
        "\r%-22s %,6d faults, %,9d messages in %,d s: %s%n",
        scenario.name(),
        result.faults(),
        result.messages(),
        result.took().toSeconds(),
        result.isGood() ? "holds" : "BROKEN");
    if (result.isGood()) {
      delete(home);
    } else {
      Files.write(home.resolve("findings.txt"), result.findings());
      result.findings().stream().limit(10).forEach(finding -> out.println("    " + finding));
    }
    return result;
  }

  private static Scenario named(String name) {
    return Scenario.named(name)
        .orElseThrow(
            () ->
                new ParameterException(
                    new CommandLine(new Faults()),
                    "there is no scenario '%s'; see --list".formatted(name)));
  }

  private static void delete(Path home) throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** The table that stands in the documents. */
  private void print(List<Run.Result> results) {
    out.println(
        "| scenario | faults | messages | lost | doubled effects | external again | dead letters |"
            + " removed | refused enqueues | deadlocks | slowest recovery | slowest stop | sample"
            + " |");
    out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (Run.Result each : results) {
      out.printf(
          Locale.ROOT,
          "| %s | %,d | %,d | %d | %d | %,d | %,d | %,d | %,d | %,d | %s | %s | %s |%n",
          each.scenario(),
          each.faults(),
          each.messages(),
          each.lost(),
          each.doubled(),
          each.again(),
          each.deadLetters(),
          each.removed(),
          each.refused(),
          each.deadlocks(),
          seconds(each.slowest()),
          seconds(each.slowestStop()),
          each.isGood() ? "holds" : "BROKEN");
    }
    out.printf(
        Locale.ROOT,
        "| all | %,d | %,d | %d | %d | | | | | | | | %s |%n",
        results.stream().mapToInt(Run.Result::faults).sum(),
        results.stream().mapToLong(Run.Result::messages).sum(),
        results.stream().mapToInt(Run.Result::lost).sum(),
        results.stream().mapToInt(Run.Result::doubled).sum(),
        results.stream().allMatch(Run.Result::isGood) ? "holds" : "BROKEN");
  }

  private static String seconds(@Nullable Duration duration) {
    return duration == null
        ? "-"
        : String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
  }
}
