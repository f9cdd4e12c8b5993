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
 * The fault harness. Runs real workers on a real server, injects faults, and audits the books. Ends
 * with 0 if every promise was kept; else it keeps the logs and journals of what broke.
 */
@Command(
    name = "faults",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Injects faults into real workers and servers, and audits the books.")
public final class Faults implements Callable<Integer> {

  @Option(
      names = "--scenario",
      split = ",",
      paramLabel = "NAME",
      description = "Only these, with commas between them; see --list.")
  private List<String> names = List.of();

  @Option(names = "--list", description = "Say which scenarios there are, and end.")
  private boolean list;

  @Option(
      names = "--faults",
      defaultValue = "3",
      description = "How often each strikes (default: ${DEFAULT-VALUE}).")
  private int faults;

  @Option(
      names = "--messages",
      defaultValue = "0",
      description = "Go on until so many are enqueued in each (default: ${DEFAULT-VALUE}).")
  private long messages;

  @Option(
      names = "--in-all",
      description =
          "Faults and messages are those of all scenarios together, divided by how long one"
              + " takes.")
  private boolean inAll;

  @Option(names = "--longest", description = "End each after so long, as in PT10M.")
  private @Nullable Duration longest;

  @Option(
      names = "--per-second",
      defaultValue = "400",
      description = "Messages enqueued in a second (default: ${DEFAULT-VALUE}).")
  private int perSecond;

  @Option(names = "--seed", description = "Repeats the faults of a run; random if left out.")
  private @Nullable Long seed;

  @Option(
      names = "--url",
      description =
          "The JDBC URL of a server on this host, with an account in it that may do everything; an"
              + " embedded MariaDB if left out.")
  private @Nullable String url;

  @Option(
      names = "--start-server",
      description =
          "A shell command that starts the server of --url when it is down. Without it, no scenario"
              + " kills that server.")
  private @Nullable String startCommand;

  @Option(
      names = "--evidence",
      description = "Where logs and journals of broken runs are kept (default: a new folder).")
  private @Nullable Path evidence;

  private final PrintStream out = System.out;

  /** Runs it. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Faults()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (list) {
      Scenarios.all().forEach(each -> out.printf("%-22s %s%n", each.name(), each.what()));
      return 0;
    }
    List<Scenario> scenarios = chosen();
    long from = seed == null ? ThreadLocalRandom.current().nextInt(1_000_000) : seed;
    Plan plan = new Plan(from, faults, messages, longest, perSecond);
    try (Server server = url == null ? Server.embedded() : Server.at(url, startCommand)) {
      List<Result> results = run(server, plan, scenarios);
      out.println();
      ResultTable.print(results, out);
      return results.stream().allMatch(Result::isGood) ? 0 : 1;
    }
  }

  private List<Result> run(Server server, Plan plan, List<Scenario> scenarios) throws Exception {
    Path home = evidence == null ? Files.createTempDirectory("rowqueue-faults-") : evidence;
    out.printf("seed %d; evidence of what breaks is kept in %s%n", plan.seed(), home);
    List<Result> results = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      String obstacle = scenario.obstacle(server);
      if (obstacle != null) {
        out.printf("%-22s NOT RUN: %s%n", scenario.name(), obstacle);
      } else {
        Plan own = inAll ? plan.shareOf(scenario, scenarios) : plan;
        results.add(run(server, own, scenario, home.resolve(scenario.name())));
      }
    }
    return results;
  }

  private Result run(Server server, Plan plan, Scenario scenario, Path home) throws Exception {
    if (Files.exists(home)) {
      throw new ParameterException(
          new CommandLine(this),
          "%s holds what an earlier run left, which is not for this one's audit".formatted(home));
    }
    Files.createDirectories(home);
    Result result = new Run(server, scenario, plan, home, out).run();
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

  private List<Scenario> chosen() {
    return names.isEmpty() ? Scenarios.all() : names.stream().map(Faults::named).toList();
  }

  private static Scenario named(String name) {
    return Scenarios.named(name)
        .orElseThrow(
            () ->
                new ParameterException(
                    new CommandLine(new Faults()),
                    "there is no scenario '%s'; --list says which there are".formatted(name)));
  }

  private static void delete(Path home) throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
