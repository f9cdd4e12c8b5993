package io.rowqueue.worker.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.concurrent.TimeUnit;

/** Whether somebody sits there. */
final class Terminal {

  static final int INPUT = 0;
  static final int ERROR = 2;

  private Terminal() {}

  /** Java cannot tell for each stream; the shell's own test can, where there is one. */
  static boolean isAt(int stream) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder("test", "-t", Integer.toString(stream))
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
