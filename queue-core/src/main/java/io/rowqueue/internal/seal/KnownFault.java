package io.rowqueue.internal.seal;

import org.jspecify.annotations.Nullable;

/**
 * Why a keyset cannot be read, and whether that is to be said: whoever misses a key looks each
 * second, and the same fault is said once a minute. Not thread-safe; looks come one at a time.
 */
final class KnownFault {

  private final long againNanos;
  private @Nullable String fault;
  private long saidNanos;

  KnownFault(long againNanos) {
    this.againNanos = againNanos;
  }

  /** Whether {@code met} is new, or was last said so long ago that it is said again. */
  boolean isToBeSaid(String met, long nowNanos) {
    if (met.equals(fault) && nowNanos - saidNanos < againNanos) {
      return false;
    }
    fault = met;
    saidNanos = nowNanos;
    return true;
  }

  /** The keyset was read; whether it could not be before. */
  boolean isOver() {
    boolean was = fault != null;
    fault = null;
    return was;
  }
}
