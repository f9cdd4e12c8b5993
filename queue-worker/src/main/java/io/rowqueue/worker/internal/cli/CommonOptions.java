package io.rowqueue.worker.internal.cli;

import java.nio.file.Path;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** What every command has. */
@Command(
    synopsisHeading = "%nUsage: ",
    descriptionHeading = "%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    footerHeading = "%n")
@SuppressWarnings("UnusedVariable") // read before parsing, through picocli's model
final class CommonOptions {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A properties file with more options, one key=value a line. It serves all commands.")
  private @Nullable Path config;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      description =
          "The least level that is logged: ERROR, WARN, INFO, DEBUG or TRACE (default: INFO for"
              + " run, WARN for the others).")
  private @Nullable LogLevel logLevel;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      converter = LogFormatText.class,
      description = "How the log is written: text, or json for an object a line (default: text).")
  private @Nullable LogFormat logFormat;

  @Option(
      names = "--verbose",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Show the stack trace of a failure.")
  private boolean verbose;

  /** For the end of the help of {@code command}. */
  static String footer(CommandSpec command) {
    String lineOnly =
        command.options().stream()
            .filter(option -> Settings.key(option) == null)
            .map(OptionSpec::longestName)
            .sorted()
            .collect(Collectors.joining(", "));
    return "Every option can also be given by an environment variable (ROWQUEUE_HANDLER_TIMEOUT for"
        + " --handler-timeout) or by a line of the --config file (handler-timeout=5m), but for "
        + lineOnly
        + ". The command line wins over the environment, and that over the file. Durations are"
        + " written 500ms, 30s, 5m, 1h or PT5M, sizes 65536, 16k or 4m.";
  }
}
