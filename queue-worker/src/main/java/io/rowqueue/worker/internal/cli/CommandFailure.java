package io.rowqueue.worker.internal.cli;

import io.rowqueue.QueueException;
import org.jspecify.annotations.Nullable;

/** A failure that the command line itself has put into words, with the code to exit with. */
final class CommandFailure extends QueueException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  static CommandFailure usage(String message) {
    return new CommandFailure(ExitCodes.WRONG_USAGE, message, null);
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
