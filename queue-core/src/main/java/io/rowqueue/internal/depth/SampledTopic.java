package io.rowqueue.internal.depth;

import io.rowqueue.DepthSample;
import io.rowqueue.operate.DepthLimit;
import org.jspecify.annotations.Nullable;

/**
 * A topic with a limit, as a process has read it.
 *
 * @param verdict null if the topic was not sampled yet
 * @param stale whether no worker seems to take samples: the next one is overdue
 */
public record SampledTopic(DepthLimit limit, @Nullable DepthSample verdict, boolean stale) {

  public boolean isFull() {
    return verdict != null && verdict.full();
  }
}
