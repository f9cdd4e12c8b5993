package io.rowqueue.worker.internal.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Standard output, for results. A {@link java.io.PrintStream} hides that nothing can be written, as
 * on a full disk; this remembers it. A pipe whose reader has gone, as with {@code | head}, is no
 * failure. Not thread-safe.
 */
final class Output {

  private final OutputStream out;
  private final BooleanSupplier isPipe;
  private @Nullable String failure;
  private boolean toldElsewhere;

  /**
   * Writes to {@code out}.
   *
   * @param isPipe whether that is a pipe; asked after a failure only
   */
  Output(OutputStream out, BooleanSupplier isPipe) {
    this.out = out;
    this.isPipe = isPipe;
  }

  /** Prints what was read, a line or more. */
  void show(String text) {
    boolean unused = write(text + "\n");
  }

  /** Prints what was done, or gives it to {@code otherwise}. */
  void report(String done, Consumer<String> otherwise) {
    if (!write(done + "\n")) {
      toldElsewhere = true;
      otherwise.accept(done);
    }
  }

  /** For texts of picocli. */
  PrintWriter writer() {
    OutputStream remembering =
        new OutputStream() {
          @Override
          public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int from, int length) {
            boolean unused = Output.this.write(bytes, from, length);
          }
        };
    return new PrintWriter(new OutputStreamWriter(remembering, StandardCharsets.UTF_8), true);
  }

  /** What was lost, why, and how to go on; null if nothing was. */
  @Nullable String failure() {
    return failure == null
        ? null
        : "standard output cannot be written (%s); %s"
            .formatted(
                failure,
                toldElsewhere
                    ? "what was done is said above"
                    : "the queue was not changed, so run the command again");
  }

  private boolean write(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return write(bytes, 0, bytes.length);
  }

  private boolean write(byte[] bytes, int from, int length) {
    try {
      out.write(bytes, from, length);
      out.flush();
      return true;
    } catch (IOException e) {
      if (isPipe.getAsBoolean()) {
        return true;
      }
      failure = e.getMessage();
      return false;
    }
  }
}
