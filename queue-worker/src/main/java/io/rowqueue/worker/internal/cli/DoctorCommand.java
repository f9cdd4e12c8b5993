package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.CommonOptions.LimitOptions;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import io.rowqueue.worker.internal.cli.Settings.Setting;
import io.rowqueue.worker.internal.doctor.Doctor;
import io.rowqueue.worker.internal.doctor.DoctorSettings;
import io.rowqueue.worker.internal.doctor.Finding;
import io.rowqueue.worker.internal.doctor.Severity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "doctor",
    description = {
      "Checks the server, the account, the schema, the workers and the messages, and prints each"
          + " finding with its remedy, the worst first. Changes nothing, locks no row, and reads"
          + " only the first messages.",
      "Run it with the account and the --config file of the workers. Exits 0 if all is well, 5 if"
          + " there are warnings, 6 if there are problems or most checks could not be performed."
    })
final class DoctorCommand extends QueueCommand implements Callable<Integer> {

  /** Each statement has its own, shorter limit in the server. */
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(30);

  @Mixin private final JsonOptions json = new JsonOptions();
  @Mixin private final LimitOptions limits = new LimitOptions();

  @Option(names = "--all", description = "Also print each check that is ok.")
  private boolean all;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      converter = EnumConverter.Roles.class,
      completionCandidates = EnumConverter.Roles.class,
      description = "Role of the account, as in `grants` (default: worker).")
  private Role role = Role.WORKER;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "Number of threads of each worker, used to estimate connections in addition to"
              + " those of live workers (default: 16).")
  @Setting
  private @Nullable Integer threads;

  @Option(
      names = "--warn-message-age",
      paramLabel = "DURATION",
      description = "Warn about an available message that has waited longer (default: 5m).")
  @Setting
  private Duration oldMessage = DoctorSettings.OLD_MESSAGE;

  @Option(
      names = "--warn-transaction-age",
      paramLabel = "DURATION",
      description = "Warn about a transaction that is open longer (default: 10m).")
  @Setting
  private Duration longTransaction = Duration.ofMinutes(10);

  DoctorCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    DoctorSettings settings = settings();
    CommandDatabase database = CommandDatabase.reach(database(), LONGEST_ANSWER);
    List<Finding> findings =
        new Doctor(database.dataSource(), database.transactions().dialect(), settings).examine();
    show(json, () -> lines(findings, all), root -> fill(root, findings));
    return exitCode(findings);
  }

  /** A few checks that could not be performed are no failure. */
  static int exitCode(List<Finding> findings) {
    if (count(findings, Severity.UNKNOWN) * 2 > findings.size()) {
      return ExitCodes.PROBLEMS;
    }
    return switch (Doctor.worst(findings)) {
      case OK, UNKNOWN -> ExitCodes.OK;
      case WARNING -> ExitCodes.WARNINGS;
      case PROBLEM -> ExitCodes.PROBLEMS;
    };
  }

  private DoctorSettings settings() {
    return CommandFailure.usage(
        () -> {
          DoctorSettings settings =
              DoctorSettings.defaults()
                  .withLimits(limits.limits())
                  .withRole(role)
                  .withOldMessage(oldMessage)
                  .withLongTransaction(longTransaction);
          return threads == null ? settings : settings.withThreads(threads);
        });
  }

  /** The worst first; unless {@code all} is set, those that are ok are one line. */
  static String lines(List<Finding> findings, boolean all) {
    List<String> lines = new ArrayList<>();
    findings.stream()
        .filter(finding -> all || finding.severity() != Severity.OK)
        .sorted(Comparator.comparing(Finding::severity).reversed())
        .forEach(finding -> lines.add(line(finding)));
    long ok = count(findings, Severity.OK);
    if (!all && ok > 0) {
      lines.add("ok       %s; --all prints them".formatted(TextTable.plural(ok, "check")));
    }
    return String.join("\n", lines) + "\n\n" + sum(findings);
  }

  private static String line(Finding finding) {
    String line =
        "%-7s  %-13s  %s"
            .formatted(
                word(finding.severity()),
                finding.subject(),
                TextTable.printable(finding.found().strip().replaceAll("\\s+", " ")));
    return finding.advice().isEmpty()
        ? line
        : line + "\n" + " ".repeat(24) + "-> " + TextTable.printable(finding.advice());
  }

  private static String sum(List<Finding> findings) {
    return "%s, %s, %d not checked; exit code %d"
        .formatted(
            TextTable.plural(count(findings, Severity.PROBLEM), "problem"),
            TextTable.plural(count(findings, Severity.WARNING), "warning"),
            count(findings, Severity.UNKNOWN),
            exitCode(findings));
  }

  private static long count(List<Finding> findings, Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }

  private static String word(Severity severity) {
    return severity.name().toLowerCase(Locale.ROOT);
  }

  static void fill(ObjectNode root, List<Finding> findings) {
    root.put("worst", word(Doctor.worst(findings)));
    ArrayNode all = root.putArray("findings");
    for (Finding finding : findings) {
      all.addObject()
          .put("subject", finding.subject())
          .put("severity", word(finding.severity()))
          .put("found", finding.found())
          .put("advice", finding.advice());
    }
  }
}
