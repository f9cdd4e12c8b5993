package io.rowqueue.internal.depth;

import io.rowqueue.DepthSample;
import io.rowqueue.operate.DepthLimit;
import org.jspecify.annotations.Nullable;

/**
 * A topic with a limit, as a process has read it.
 *
 * @param verdict null if nobody has judged it yet
 * @param stale whether nobody judges it, as it seems: whoever should has had the time
 */
public record SampledTopic(DepthLimit limit, @Nullable DepthSample verdict, boolean stale) {

  public boolean isFull() {
    return verdict != null && verdict.full();
  }
}
