package io.rowqueue.testkit;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls that a handler made on its context, in order.
 *
 * @param progress the reported progress
 * @param extensions the requested timeout extensions, counted from the time of each call
 * @param cancelLooks how often it checked for a cancellation request
 */
public record ContextCalls(List<Progress> progress, List<Duration> extensions, int cancelLooks) {

  /** Keeps copies. */
  public ContextCalls {
    progress = List.copyOf(progress);
    extensions = List.copyOf(extensions);
  }

  /**
   * A progress report.
   *
   * @param done the amount done
   * @param total the total; null if unknown
   * @param note the handler's note
   */
  public record Progress(long done, @Nullable Long total, String note) {}
}
