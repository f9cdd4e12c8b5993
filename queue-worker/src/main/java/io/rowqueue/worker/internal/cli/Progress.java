package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.internal.cli.CommandIo.Terminal;
import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows the progress of a command on a terminal. Not thread-safe. */
interface Progress extends AutoCloseable {

  Progress SILENT = (steps, messages) -> {};

  /** So many bytes of the file are read, or so many steps done, and so many messages written. */
  void at(long steps, long messages);

  @Override
  default void close() {}

  /**
   * A bar on {@code err} if that is a terminal; otherwise nothing.
   *
   * @param size the file's bytes, or -1 if unknown
   */
  static Progress of(PrintStream err, long size) {
    return Terminal.isAt(Terminal.ERROR)
        ? bar(err, bar("enqueue", size).setUnit(" KiB", 1 << 10))
        : SILENT;
  }

  /** A bar for {@code count} steps of {@code name}, if {@code err} is a terminal. */
  static Progress ofSteps(PrintStream err, String name, long count) {
    return Terminal.isAt(Terminal.ERROR) ? bar(err, bar(name, count)) : SILENT;
  }

  private static ProgressBarBuilder bar(String name, long size) {
    return new ProgressBarBuilder().setTaskName(name).setInitialMax(size);
  }

  private static Progress bar(PrintStream err, ProgressBarBuilder builder) {
    ProgressBar bar =
        builder
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new ConsoleProgressBarConsumer(err))
            .clearDisplayOnFinish()
            .build();
    return new Progress() {
      @Override
      public void at(long steps, long messages) {
        bar.stepTo(steps);
        bar.setExtraMessage(messages + " messages");
      }

      @Override
      public void close() {
        bar.close();
      }
    };
  }
}
