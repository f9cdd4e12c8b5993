package io.rowqueue.worker.cli;

import com.google.inject.ConfigurationException;
import com.google.inject.CreationException;
import com.google.inject.ProvisionException;
import com.google.inject.spi.Message;
import io.rowqueue.QueueException;
import io.rowqueue.database.DatabaseUnavailableException;
import io.rowqueue.schema.SchemaException;
import io.rowqueue.worker.cli.Main.SettingsException;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

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
    if (parsed.hasMatchedOption("--verbose")) {
      failure.printStackTrace(err);
    }
    err.flush();
    return exitCode(failure);
  }

  static int exitCode(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SchemaException) {
        return SCHEMA;
      }
      if (cause instanceof DatabaseUnavailableException) {
        return DATABASE;
      }
      if (cause instanceof SettingsException || cause instanceof IllegalArgumentException) {
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
