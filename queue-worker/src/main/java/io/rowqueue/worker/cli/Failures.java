package io.rowqueue.worker.cli;

import com.google.inject.ConfigurationException;
import com.google.inject.CreationException;
import com.google.inject.ProvisionException;
import com.google.inject.spi.Message;
import io.rowqueue.QueueException;
import io.rowqueue.database.DatabaseUnavailableException;
import io.rowqueue.handle.HandlerConfigurationException;
import io.rowqueue.schema.SchemaException;
import io.rowqueue.worker.cli.Main.SettingsException;
import io.rowqueue.worker.plugin.PluginException;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in a line or a few what went wrong and what to do, and picks the exit code. */
final class Failures {

  static final int DATABASE = 3;
  static final int SCHEMA = 4;

  private Failures() {}

  static int report(Exception failure, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    for (String line : lines(failure)) {
      err.println("rowqueue: " + line);
    }
    OptionSpec verbose = command.getCommandSpec().findOption("--verbose");
    if (verbose != null && Boolean.TRUE.equals(verbose.getValue())) {
      failure.printStackTrace(err);
    }
    err.flush();
    return exitCode(failure);
  }

  /** Says what is wrong with the words of the call, and never repeats what may be a password. */
  static int reportUsage(ParameterException failure, String[] arguments) {
    CommandLine command = failure.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(
        "rowqueue: "
            + (failure instanceof UnmatchedArgumentException unmatched
                ? unknown(unmatched.getUnmatched())
                : failure.getMessage()));
    err.println("rowqueue: see " + command.getCommandSpec().qualifiedName() + " --help");
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  /** What follows a mistyped --password is one, so only the flags themselves are named. */
  private static String unknown(List<String> unmatched) {
    List<String> flags =
        unmatched.stream()
            .filter(argument -> argument.startsWith("-"))
            .map(argument -> argument.replaceFirst("=.*$", ""))
            .toList();
    return flags.isEmpty() ? "a word more than this command takes" : "no such flag: " + flags;
  }

  static int exitCode(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SchemaException) {
        return SCHEMA;
      }
      if (cause instanceof DatabaseUnavailableException) {
        return DATABASE;
      }
      if (cause instanceof SettingsException
          || cause instanceof PluginException
          || cause instanceof HandlerConfigurationException
          || cause instanceof CreationException
          || cause instanceof IllegalArgumentException) {
        return CommandLine.ExitCode.USAGE;
      }
    }
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static List<String> lines(Exception failure) {
    if (failure instanceof CreationException creation) {
      return guice(creation.getErrorMessages());
    }
    if (failure instanceof ConfigurationException configuration) {
      return guice(configuration.getErrorMessages());
    }
    if (failure instanceof ProvisionException provision) {
      return guice(provision.getErrorMessages());
    }
    if (failure instanceof QueueException || failure instanceof IllegalArgumentException) {
      return List.of(String.valueOf(failure.getMessage()));
    }
    return List.of("unexpected: " + failure + " (run with --verbose for the stack trace)");
  }

  private static List<String> guice(Collection<Message> messages) {
    return messages.stream()
        .map(
            message ->
                message.getCause() instanceof QueueException known
                    ? String.valueOf(known.getMessage())
                    : message.getMessage() + " (bound at " + message.getSource() + ")")
        .toList();
  }
}
