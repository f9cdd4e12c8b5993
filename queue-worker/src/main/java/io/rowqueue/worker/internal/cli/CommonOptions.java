package io.rowqueue.worker.internal.cli;

import java.nio.file.Path;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** What every command has. */
@Setting
@Command(
    synopsisHeading = "%nUsage: ",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    footerHeading = "%n")
@SuppressWarnings("UnusedVariable") // read through picocli's model
final class CommonOptions {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "Properties file with settings, one key=value a line. One file can serve all commands.")
  private @Nullable Path config;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      description =
          "Minimum log level: ERROR, WARN, INFO, DEBUG or TRACE (default: INFO for run, WARN for"
              + " the others).")
  private LogOutput.@Nullable Level logLevel;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      converter = EnumConverter.LogFormats.class,
      completionCandidates = EnumConverter.LogFormats.class,
      description = "Log format: text, or json for one JSON object a line (default: text).")
  private LogOutput.@Nullable Format logFormat;

  @Option(names = "--verbose", description = "Print the stack trace of a failure.")
  private boolean verbose;

  /** For the end of the help of {@code command}. */
  static String footer(CommandSpec command) {
    String lineOnly =
        command.options().stream()
            .filter(option -> Settings.key(option) == null)
            .map(OptionSpec::longestName)
            .sorted()
            .collect(Collectors.joining(", "));
    return "Options can also be set by environment variables (ROWQUEUE_HANDLER_TIMEOUT for"
        + " --handler-timeout) or by lines of the --config file (handler-timeout=5m), except for "
        + lineOnly
        + ". The command line overrides the environment, and the environment overrides the file."
        + " Durations: 500ms, 30s, 5m, 1h, 2d or PT5M. Sizes: 65536, 16k, 4m or 1g (powers of"
        + " 1,024).";
  }

  /** Picocli's own need its variables, which are switched off for the sake of payloads. */
  @SuppressWarnings("UnusedVariable") // picocli reads them
  static final class Help {

    @Option(
        names = {"-h", "--help"},
        usageHelp = true,
        description = "Show this help.")
    private boolean help;

    @Option(
        names = {"-V", "--version"},
        versionHelp = true,
        description = "Show the version.")
    private boolean version;
  }

  /** The version in the jar's manifest, and the Java that runs it. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Version.class.getPackage().getImplementationVersion();
      return new String[] {
        "RowQueue %s (Java %s)"
            .formatted(version == null ? "development" : version, Runtime.version().toString())
      };
    }
  }
}
