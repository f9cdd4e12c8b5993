package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.QueueException;
import io.rowqueue.operate.InvalidScheduleException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A failure that the command line itself has put into words, with the code to exit with. */
final class CommandFailure extends QueueException {

  private final int exitCode;

  CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCodes.WRONG_USAGE, message, null);
  }

  /** Runs {@code work}; a value that it refuses was given wrongly. */
  static <T> T usage(Supplier<T> work) {
    try {
      return work.get();
    } catch (IllegalArgumentException
        | UncheckedIOException
        | InvalidMessageException
        | InvalidScheduleException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
  }

  static void checkRange(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw usage("%s must lie between %d and %d, not %d".formatted(option, least, most, value));
    }
  }

  static CommandFailure failed(String message, @Nullable Throwable cause) {
    return new CommandFailure(ExitCodes.FAILED, message, cause);
  }

  int exitCode() {
    return exitCode;
  }
}
