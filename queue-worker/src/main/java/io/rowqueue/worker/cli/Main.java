package io.rowqueue.worker.cli;

import io.rowqueue.QueueException;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry of {@code queue-worker.jar}. */
@Command(
    name = "queue-worker",
    description = "A durable message queue in the MySQL or MariaDB you already run.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {
      RunCommand.class,
      MigrateCommand.class,
      EnqueueCommand.class,
      StatusCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done, or drained after SIGTERM",
      "1:failed",
      "2:wrong flag, key or value",
      "3:database not reachable, or login refused",
      "4:schema missing, too old or too new",
      "130:stopped at once by a second SIGINT",
      "143:stopped at once by a second SIGTERM"
    },
    footer = {
      "",
      "Every flag has an environment twin (--handler-timeout: ROWQUEUE_HANDLER_TIMEOUT) and a key"
          + " in",
      "the properties file that --config or ROWQUEUE_CONFIG names (handler-timeout=5m). A flag"
          + " beats",
      "the environment, and the environment beats the file."
    })
public final class Main {

  private Main() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    if (args.length > 0 && !args[0].equals("run")) {
      System.setProperty("rowqueue.log.target", "System.err");
      if (System.getenv("ROWQUEUE_LOG_LEVEL") == null) {
        System.setProperty("ROWQUEUE_LOG_LEVEL", "WARN");
      }
    }
    System.exit(execute(System.getenv(), args));
  }

  /** The same without the exit, for an environment of the caller's choice. */
  static int execute(Map<String, String> environment, String... args) {
    try {
      return commandLine(environment, args).execute(args);
    } catch (SettingsException e) {
      System.err.println("rowqueue: " + e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
  }

  static CommandLine commandLine(Map<String, String> environment, String... args) {
    CommandLine commandLine = new CommandLine(new Main());
    commandLine.registerConverter(Duration.class, Texts::duration);
    commandLine.setDefaultValueProvider(Settings.load(commandLine, environment, args));
    commandLine.setExecutionExceptionHandler(Failures::report);
    commandLine.setParameterExceptionHandler(Failures::reportUsage);
    // A password or payload that begins with @ is no file, and ${...} in one is no variable.
    commandLine.setExpandAtFiles(false);
    commandLine.setInterpolateVariables(false);
    commandLine.setUsageHelpWidth(100);
    return commandLine;
  }

  /** A flag, key or value that cannot be used. */
  static final class SettingsException extends QueueException {

    private static final long serialVersionUID = 1L;

    SettingsException(String message) {
      super(message);
    }
  }

  /** The version from the jar's manifest. */
  static final class Version implements CommandLine.IVersionProvider {

    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"queue-worker " + (version == null ? "development" : version)};
    }
  }
}
