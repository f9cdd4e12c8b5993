package io.rowqueue.testkit;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a handler asked of its context, in order.
 *
 * @param progress what it reported
 * @param extensions how long from then it wished to go on
 * @param cancelLooks how often it asked whether somebody wants it cancelled
 */
public record ContextCalls(List<Progress> progress, List<Duration> extensions, int cancelLooks) {

  /** Keeps copies. */
  public ContextCalls {
    progress = List.copyOf(progress);
    extensions = List.copyOf(extensions);
  }

  /**
   * One report.
   *
   * @param done how much was done
   * @param total how much there was; null if it did not say
   * @param note its words
   */
  public record Progress(long done, @Nullable Long total, String note) {}
}
