package io.rowqueue.internal.seal;

import org.jspecify.annotations.Nullable;

/**
 * The reason why a keyset cannot be read, and whether to log it: a caller that misses a key
 * triggers a read each second, but a fault is logged once a minute. Not thread-safe; reads run one
 * at a time.
 */
final class KnownFault {

  private final long againNanos;
  private @Nullable String fault;
  private long saidNanos;

  KnownFault(long againNanos) {
    this.againNanos = againNanos;
  }

  /** Whether {@code met} is new, or was last logged so long ago that it is logged again. */
  boolean isToBeSaid(String met, long nowNanos) {
    if (met.equals(fault) && nowNanos - saidNanos < againNanos) {
      return false;
    }
    fault = met;
    saidNanos = nowNanos;
    return true;
  }

  /** Called after a successful read; whether reading had failed before. */
  boolean isOver() {
    boolean was = fault != null;
    fault = null;
    return was;
  }
}
