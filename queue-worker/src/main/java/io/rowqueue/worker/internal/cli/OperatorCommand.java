package io.rowqueue.worker.internal.cli;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.RefusedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** A command that looks at the queue or changes what is in it, and ends. */
abstract class OperatorCommand extends QueueCommand implements Callable<Integer> {

  /** Counting a very long queue takes its time. */
  private static final Duration LONGEST_ANSWER = Duration.ofMinutes(5);

  OperatorCommand(CommandIo io) {
    super(io);
  }

  /** The queue that the options name. */
  final Transactions queue() {
    return reach().transactions();
  }

  /** The same with its connections. */
  final CommandDatabase reach() {
    return CommandDatabase.reach(database(), LONGEST_ANSWER).withFittingSchema();
  }

  /** Prints what was read. */
  final void show(String text) {
    io().show(text);
  }

  /** Refuses with {@code words} if nobody sits there who could answer a question. */
  static void needTerminal(String words) {
    if (!Terminal.isAt(Terminal.INPUT)) {
      throw CommandFailure.usage(words);
    }
  }

  /** Asks whoever sits at the terminal; only a yes is one. */
  final boolean agreed(String question) {
    io().err().print(question + " [y/N] ");
    io().err().flush();
    Scanner answers = new Scanner(io().in(), StandardCharsets.UTF_8);
    return answers.hasNextLine()
        && List.of("y", "yes").contains(answers.nextLine().strip().toLowerCase(Locale.ROOT));
  }

  /**
   * Does {@code work} with each of {@code names} and prints what it returns. A refusal is reported
   * and does not keep it from the others; any other failure ends it.
   *
   * @return the exit code: whether none was refused
   */
  final <N> int each(List<N> names, Function<N, String> work) {
    int exitCode = ExitCodes.OK;
    int done = 0;
    for (N name : names) {
      try {
        change(
            "%d are done, whether %s is is not known, and none behind it was tried"
                .formatted(done, name),
            () -> work.apply(name));
        done++;
      } catch (RefusedException | Refusal e) {
        ErrorReport.print(io(), String.valueOf(e.getMessage()));
        exitCode = ExitCodes.FAILED;
      } catch (QueueException e) {
        throw names.size() == 1 ? e : stopped(e, name, done);
      }
    }
    return exitCode;
  }

  private static CommandFailure stopped(QueueException cause, Object name, int done) {
    return new CommandFailure(
        ExitCodes.of(cause),
        "%s; this was at %s, %d before it are done, and none behind it was tried"
            .formatted(cause.getMessage(), name, done),
        cause);
  }

  /** One of several cannot be done, for a reason that only the command line knows. */
  static final class Refusal extends QueueException {

    private static final long serialVersionUID = 1L;

    Refusal(String message) {
      super(message, null);
    }
  }
}
