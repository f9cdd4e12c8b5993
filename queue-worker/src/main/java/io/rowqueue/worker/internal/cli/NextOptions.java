package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Schedules;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How many of the next firings are shown. */
final class NextOptions {

  @LineOnly
  @Option(
      names = "--next",
      paramLabel = "N",
      description = "How many of the next firings, 0 to 1000 (default: 1).")
  private @Nullable Integer next;

  int firings() {
    int firings = next == null ? 1 : next;
    if (firings < 0 || firings > Schedules.MOST_FIRINGS) {
      throw CommandFailure.usage(
          "--next must lie between 0 and %d, not %d".formatted(Schedules.MOST_FIRINGS, firings));
    }
    return firings;
  }
}
