package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.Refusals;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.cli.CommandIo.Terminal;
import io.rowqueue.worker.internal.cli.CommandLineProgram.CommandTree;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.lease.WorkerLease.HostName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Scanner;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Reads or changes the queue of the database that its options name. */
@SuppressWarnings("NullAway.Init") // picocli sets the field
abstract class QueueCommand {

  /** Counting a very long queue takes its time. */
  private static final Duration LONGEST_ANSWER = Duration.ofMinutes(5);

  @Spec private CommandSpec spec;

  private final DatabaseOptions database = new DatabaseOptions();
  private final CommandIo io;
  private @Nullable CommandDatabase reached;

  QueueCommand(CommandIo io) {
    this.io = io;
  }

  final CommandSpec spec() {
    return spec;
  }

  final CommandIo io() {
    return io;
  }

  /** The options for the database, which {@link CommandLineProgram} adds to each command. */
  final DatabaseOptions databaseOptions() {
    return database;
  }

  final DatabaseConfig database() {
    Settings settings = (Settings) spec.defaultValueProvider();
    database.exposures(settings).forEach(text -> ErrorReport.print(io, text));
    return database.database(settings, io.secrets());
  }

  final Transactions queue() {
    return reach().transactions();
  }

  final CommandDatabase reach() {
    return reach(LONGEST_ANSWER);
  }

  /** The queue; a statement may take {@code longestAnswer}, zero for no limit. */
  final CommandDatabase reach(Duration longestAnswer) {
    CommandDatabase now = CommandDatabase.reach(database(), longestAnswer).withFittingSchema();
    reached = now;
    return now;
  }

  /** What was looked for; fails with {@code words} if it was not found. */
  static <T> T found(Optional<T> found, String words) {
    return found.orElseThrow(() -> CommandFailure.failed(words, null));
  }

  final void show(String text) {
    io.show(text);
  }

  /** Prints what was read, as {@code json} asks for it. Returns the exit code. */
  final int show(JsonOptions json, Supplier<String> text, Consumer<ObjectNode> fill) {
    io.show(json.choose(text, fill));
    return ExitCodes.OK;
  }

  /**
   * Changes something, and prints the outcome. Returns the exit code.
   *
   * @param doubt what to say if a signal comes while the outcome is unknown
   */
  final int change(String doubt, ShutdownReport.Work<RuntimeException> work) {
    ParseResult parsed = parsed();
    String target =
        parsed.matchedPositionals().stream()
            .flatMap(each -> each.stringValues().stream())
            .collect(Collectors.joining(","));
    return change(doubt, target, work);
  }

  private int change(String doubt, String target, ShutdownReport.Work<RuntimeException> work) {
    io.report(audited(target, () -> io.shutdown().step(doubt, work)));
    return ExitCodes.OK;
  }

  /**
   * Makes a change and records it with its outcome in the audit table, whether it succeeds or not.
   * What is recorded afterwards fails no change: the reason goes to standard error.
   *
   * @param target what is changed, for people
   * @return what {@code change} returns
   */
  final String audited(String target, Supplier<String> change) {
    try {
      String done = change.get();
      audit(target, done);
      return done;
    } catch (DatabaseUnavailableException e) {
      throw e;
    } catch (RuntimeException e) {
      audit(target, "failed: " + e.getMessage());
      throw e;
    }
  }

  private void audit(String target, String result) {
    CommandDatabase queue = reached;
    if (queue == null) {
      return;
    }
    String words = parsed().commandSpec().qualifiedName(" ");
    try {
      new JooqAudit(queue.transactions())
          .write(
              new JooqAudit.Entry(
                  System.getProperty("user.name", "unknown"),
                  HostName.find(),
                  words.substring(words.indexOf(' ') + 1),
                  target,
                  result));
    } catch (QueueException e) {
      ErrorReport.print(io, "the change is missing in the table queue_audit: " + FailureText.of(e));
    }
  }

  private ParseResult parsed() {
    ParseResult parsed = spec.commandLine().getParseResult();
    return parsed.hasSubcommand() ? parsed.subcommand() : parsed;
  }

  /**
   * Does {@code work} with each of {@code names} and prints what it returns. A refusal, of RowQueue
   * or of the server, is reported and does not keep it from the others; any other failure ends it.
   *
   * @return the exit code: whether none was refused
   */
  final <N> int each(List<N> names, Function<N, String> work) {
    Refusals<N> refused = new Refusals<>();
    int exitCode = ExitCodes.OK;
    int done = 0;
    for (N name : names) {
      try {
        change(
            "%d are done, whether %s is done is not known, and none after it was tried"
                .formatted(done, name),
            String.valueOf(name),
            () -> work.apply(name));
        done++;
      } catch (RefusedException | Refusal e) {
        ErrorReport.print(io, String.valueOf(e.getMessage()));
        exitCode = ExitCodes.FAILED;
      } catch (QueueException e) {
        if (names.size() == 1) {
          throw e;
        }
        if (!isOfOne(e)) {
          throw stopped(e, name, done);
        }
        refused.add(name, stopped(e, name, done), done > 0);
        ErrorReport.print(io, "%s: %s".formatted(name, e.getMessage()));
        exitCode = ExitCodes.FAILED;
      }
    }
    return exitCode;
  }

  /** Whether the server has refused one change, and may accept others. */
  private static boolean isOfOne(QueueException failure) {
    return !(failure instanceof CommandFailure)
        && ExitCodes.of(failure) == ExitCodes.FAILED
        && RefusedRows.isRefusal(failure, 1);
  }

  private static CommandFailure stopped(QueueException cause, Object name, int done) {
    return new CommandFailure(
        ExitCodes.of(cause),
        "%s; this was at %s: %d before it are done, and none after it was tried"
            .formatted(cause.getMessage(), name, done),
        cause);
  }

  /** Refuses with {@code words} if standard input is no terminal where a question is answered. */
  static void needTerminal(String words) {
    if (!Terminal.isAt(Terminal.INPUT)) {
      throw CommandFailure.usage(words);
    }
  }

  /** Asks the person at the terminal; only a yes is one. */
  final boolean agreed(String question) {
    io.err().print(question + " [y/N] ");
    io.err().flush();
    Scanner answers = new Scanner(io.in(), StandardCharsets.UTF_8);
    return answers.hasNextLine()
        && List.of("y", "yes").contains(answers.nextLine().strip().toLowerCase(Locale.ROOT));
  }

  /** One of several cannot be done, for a reason that only the command line knows. */
  static final class Refusal extends QueueException {

    Refusal(String message) {
      super(message, null);
    }
  }

  /** Commands with the same first word; each is a method, and the word alone does nothing. */
  abstract static class CommandGroup extends QueueCommand implements Runnable {

    private final List<String> names;

    /** With the commands of these names, in the order of the help. */
    CommandGroup(CommandIo io, String... names) {
      super(io);
      this.names = List.of(names);
    }

    final CommandLine line() {
      CommandLine line = new CommandLine(this);
      // Picocli sorts the methods by their names.
      for (String name : names) {
        line.getCommandSpec().addSubcommand(name, line.getCommandSpec().removeSubcommand(name));
      }
      return line;
    }

    @Override
    public final void run() {
      throw new ParameterException(
          spec().commandLine(),
          "name a command of %s: %s".formatted(spec().name(), CommandTree.names(spec())));
    }
  }
}
