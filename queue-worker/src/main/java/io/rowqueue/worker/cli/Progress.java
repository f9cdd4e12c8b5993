package io.rowqueue.worker.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.concurrent.TimeUnit;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how far a file is read, where somebody can see it. Not thread-safe. */
interface Progress extends AutoCloseable {

  /** Shows nothing. */
  Progress SILENT = (bytes, messages) -> {};

  /** So many bytes of the file are read, and so many messages enqueued. */
  void at(long bytes, long messages);

  @Override
  default void close() {}

  /**
   * A bar on {@code err} if that is a terminal; otherwise nothing.
   *
   * @param size the file's bytes, or -1 if unknown
   */
  static Progress of(PrintStream err, long size) {
    return isTerminal() ? bar(err, size) : SILENT;
  }

  private static Progress bar(PrintStream err, long size) {
    ProgressBar bar =
        new ProgressBarBuilder()
            .setTaskName("enqueue")
            .setInitialMax(size)
            .setUnit(" KiB", 1 << 10)
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new ConsoleProgressBarConsumer(err))
            .clearDisplayOnFinish()
            .build();
    return new Progress() {
      @Override
      public void at(long bytes, long messages) {
        bar.stepTo(bytes);
        bar.setExtraMessage(messages + " messages");
      }

      @Override
      public void close() {
        bar.close();
      }
    };
  }

  /** Java cannot tell for standard error; the shell's own test can, where there is one. */
  private static boolean isTerminal() {
    try {
      Process test =
          new ProcessBuilder("test", "-t", "2")
              .redirectInput(Redirect.INHERIT)
              .redirectOutput(Redirect.INHERIT)
              .redirectError(Redirect.INHERIT)
              .start();
      return test.waitFor(2, TimeUnit.SECONDS) && test.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
