package io.rowqueue.worker.internal.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.concurrent.TimeUnit;

/** Tells terminals and pipes at the standard streams. */
final class Terminal {

  static final int INPUT = 0;
  static final int OUTPUT = 1;
  static final int ERROR = 2;

  private Terminal() {}

  /** Whether it is a terminal. */
  static boolean isAt(int stream) {
    return test("-t", Integer.toString(stream));
  }

  /** Whether a process reads or writes it, or did so. */
  static boolean isPipe(int stream) {
    String file = "/dev/fd/" + stream;
    return test("-p", file) || test("-S", file);
  }

  /** Java cannot tell for each stream; the shell's own test can, where there is one. */
  private static boolean test(String what, String of) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder("test", what, of)
              .redirectInput(Redirect.INHERIT)
              .redirectOutput(Redirect.INHERIT)
              .redirectError(Redirect.INHERIT);
      // It needs nothing from there, and a password may be among it.
      builder.environment().clear();
      Process test = builder.start();
      return test.waitFor(2, TimeUnit.SECONDS) && test.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
