package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.doctor.Doctor;
import io.rowqueue.worker.internal.doctor.DoctorSettings;
import io.rowqueue.worker.internal.doctor.Finding;
import io.rowqueue.worker.internal.doctor.Severity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Examines the deployment. */
@Command(
    name = "doctor",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker doctor --url URL [--json] [OPTIONS]",
    description = {
      "Looks at the server, the account, the tables and the workers, and says line by line what is"
          + " as it should be, what is not, and what to do about it. Changes nothing, locks no row,"
          + " and reads no more of the messages than their first ones.",
      "Give it the account and the --config file of the workers. Exits 0 if nothing is wrong, 5 if"
          + " there are warnings, 6 if there are problems."
    })
final class DoctorCommand extends OperatorCommand {

  /** Each look has its own, shorter bound in the server. */
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(30);

  @Mixin private final JsonOptions json = new JsonOptions();
  @Mixin private final LimitOptions limits = new LimitOptions();

  @LineOnly
  @Option(
      names = "--role",
      paramLabel = "ROLE",
      converter = RoleText.class,
      description = "What the account is for, as in `grants` (default: worker).")
  private @Nullable Role role;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "The threads of each worker, to reckon connections by, beside what running ones hold"
              + " (default: 16).")
  private @Nullable Integer threads;

  @Option(
      names = "--warn-message-age",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "An available message that has waited longer is a finding (default: 15m).")
  private @Nullable Duration oldMessage;

  @Option(
      names = "--warn-transaction-age",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "A transaction that is open for longer is a finding (default: 10m).")
  private @Nullable Duration longTransaction;

  DoctorCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    DoctorSettings settings = settings();
    CommandDatabase database = CommandDatabase.reach(database(), LONGEST_ANSWER);
    List<Finding> findings =
        new Doctor(database.dataSource(), database.transactions().dialect(), settings).examine();
    show(json.choose(() -> DoctorTexts.lines(findings), root -> DoctorTexts.fill(root, findings)));
    return sawLittle(findings) ? ExitCodes.PROBLEMS : exitCode(Doctor.worst(findings));
  }

  /** Whether less could be looked at than not. */
  private static boolean sawLittle(List<Finding> findings) {
    long unknown =
        findings.stream().filter(finding -> finding.severity() == Severity.UNKNOWN).count();
    return unknown * 2 > findings.size();
  }

  /** A few things that could not be looked at are no reason to wake anybody. */
  static int exitCode(Severity worst) {
    return switch (worst) {
      case OK, UNKNOWN -> ExitCodes.OK;
      case WARNING -> ExitCodes.WARNINGS;
      case PROBLEM -> ExitCodes.PROBLEMS;
    };
  }

  private DoctorSettings settings() {
    DoctorSettings settings = DoctorSettings.defaults().withLimits(limits.limits());
    settings = Changed.by(settings, role, DoctorSettings::withRole);
    settings = Changed.by(settings, threads, DoctorSettings::withThreads);
    settings = Changed.by(settings, oldMessage, DoctorSettings::withOldMessage);
    return Changed.by(settings, longTransaction, DoctorSettings::withLongTransaction);
  }
}
