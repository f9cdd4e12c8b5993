package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.MessageLimits;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import io.rowqueue.worker.internal.cli.Converters.SizeText;
import io.rowqueue.worker.internal.cli.Settings.Setting;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

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
        + " Durations: 500ms, 30s, 5m, 1h, 2d or PT5M. Sizes: 65536, 16k, 4m, 4MiB or 1g (powers of"
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

  static final class JsonOptions {

    @Option(names = "--json", description = "Print one JSON object, for programs.")
    private boolean json;

    boolean requested() {
      return json;
    }

    /** The text for people, or with {@code --json} the object that {@code fill} fills. */
    String choose(Supplier<String> text, Consumer<ObjectNode> fill) {
      if (!json) {
        return text.get();
      }
      ObjectNode root = JsonNodeFactory.instance.objectNode();
      fill.accept(root);
      return root.toPrettyString();
    }
  }

  @Setting
  static final class LimitOptions {

    @Option(
        names = "--max-payload-size",
        paramLabel = "SIZE",
        converter = SizeText.class,
        description = "Maximum payload size (default: 4m).")
    private Long maxPayload = 4L << 20;

    @Option(
        names = "--max-header-size",
        paramLabel = "SIZE",
        converter = SizeText.class,
        description = "Maximum size of the headers as JSON (default: 16k).")
    private Long maxHeaders = 16L << 10;

    MessageLimits limits() {
      return CommandFailure.usage(
          () ->
              MessageLimits.defaults()
                  .withPayloadBytes(bytes("--max-payload-size", maxPayload))
                  .withHeadersBytes(bytes("--max-header-size", maxHeaders)));
    }

    private static int bytes(String option, long size) {
      if (size > Integer.MAX_VALUE - 16) {
        throw CommandFailure.usage(option + " must be below 2g");
      }
      return (int) size;
    }
  }

  /**
   * Tells logback what to do, before the first logger exists. The daemon's log is its output; a
   * one-shot command's output is its result, so it logs to standard error.
   */
  static final class LogOutput {

    private static final String CONFIGURATION = "logback.configurationFile";

    private LogOutput() {}

    static void set(@Nullable Level level, @Nullable Format format, boolean daemon) {
      if (System.getProperty(CONFIGURATION) == null) {
        Format chosen = format == null ? Format.TEXT : format;
        System.setProperty(CONFIGURATION, chosen.configuration);
      }
      Level least = level != null ? level : daemon ? Level.INFO : Level.WARN;
      System.setProperty("ROWQUEUE_LOG_LEVEL", least.name());
      System.setProperty("ROWQUEUE_LOG_TARGET", daemon ? "System.out" : "System.err");
    }

    enum Level {
      ERROR,
      WARN,
      INFO,
      DEBUG,
      TRACE
    }

    enum Format {
      TEXT("logback.xml"),
      JSON("logback-json.xml");

      private final String configuration;

      Format(String file) {
        this.configuration = "io/rowqueue/worker/internal/cli/" + file;
      }

      @Override
      public String toString() {
        return name().toLowerCase(Locale.ROOT);
      }
    }
  }
}
