package io.rowqueue.worker.internal.cli;

import io.rowqueue.QueueException;
import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says on standard error what went wrong, without a stack trace unless it is asked for. */
final class ErrorReport implements IExecutionExceptionHandler, IParameterExceptionHandler {

  private static final String PREFIX = "rowqueue: ";

  private final CommandIo io;
  private final Settings settings;

  ErrorReport(CommandIo io, Settings settings) {
    this.io = io;
    this.settings = settings;
  }

  @Override
  public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
    OptionSpec verbose = command.getCommandSpec().findOption("--verbose");
    return report(failure, verbose != null && Boolean.TRUE.equals(verbose.getValue()));
  }

  int report(Exception failure, boolean verbose) {
    boolean known = failure instanceof QueueException;
    String message = String.valueOf(failure.getMessage());
    print(known ? message : failure.getClass().getName() + ": " + message);
    if (verbose) {
      print(stackTrace(failure));
    } else if (!known) {
      print("unexpected failure; --verbose prints its stack trace");
    }
    return ExitCodes.of(failure);
  }

  @Override
  public int handleParseException(ParameterException failure, String[] args) {
    print(
        failure instanceof UnmatchedArgumentException unmatched
            ? describe(unmatched)
            : describe(failure));
    CommandLine command = failure.getCommandLine();
    print("see " + command.getCommandSpec().qualifiedName() + " --help");
    return ExitCodes.WRONG_USAGE;
  }

  /** The value may have come from elsewhere than the command line; then this says from where. */
  private String describe(ParameterException failure) {
    ArgSpec argument = failure.getArgSpec();
    String message = String.valueOf(failure.getMessage());
    if (argument instanceof OptionSpec option) {
      return settings.origin(option).map(origin -> origin + ": " + message).orElse(message);
    }
    return message;
  }

  /** What stands behind a mistyped option may be a password, so only options are repeated. */
  private static String describe(UnmatchedArgumentException failure) {
    StringBuilder text = new StringBuilder();
    for (String argument : failure.getUnmatched()) {
      if (argument.startsWith("-")) {
        String name = argument.replaceFirst("=.*$", "");
        text.append(text.isEmpty() ? "" : "; ").append("there is no option ").append(name);
        text.append("; did you mean ").append(nearest(name, failure.getCommandLine())).append('?');
      }
    }
    if (!text.isEmpty()) {
      return text.toString();
    }
    text.append("too many arguments");
    if (!failure.getSuggestions().isEmpty()) {
      text.append("; did you mean ").append(String.join(" or ", failure.getSuggestions()));
      text.append('?');
    }
    return text.toString();
  }

  private static String nearest(String name, CommandLine command) {
    return String.join(
        " or ", NearestNames.of(name, command.getCommandSpec().optionsMap().keySet()));
  }

  private void print(String text) {
    print(io, text);
  }

  /** One line, as every failure has it. */
  static void print(CommandIo io, String text) {
    io.err().println(PREFIX + TextTable.printable(io.secrets().hide(text)));
  }

  private static String stackTrace(Exception failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
