package io.rowqueue.internal.result;

import io.rowqueue.DeadLetterException;
import io.rowqueue.MessageId;
import io.rowqueue.ResultUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One wait for one message. An id that is nowhere may be one that this server does not have yet: a
 * node that lags, or a transaction that has not committed. So nowhere counts only on two looks that
 * lie apart, and for one that was never seen, only some time after the wait began. Its looks come
 * from one thread; the future is anybody's.
 */
final class PendingResult {

  private static final long APART_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long UNSEEN_NANOS = Duration.ofSeconds(10).toNanos();

  private final MessageId id;
  private final long begunNanos;
  private final CompletableFuture<ResultState.Settled> future = new CompletableFuture<>();
  private boolean seen;
  private @Nullable Long nowhereNanos;

  PendingResult(MessageId id, long nowNanos) {
    this.id = id;
    this.begunNanos = nowNanos;
  }

  MessageId id() {
    return id;
  }

  CompletableFuture<ResultState.Settled> future() {
    return future;
  }

  /** A look at {@code nowNanos} found it at {@code place}; null if it is nowhere. */
  void found(@Nullable ResultState place, long nowNanos) {
    if (place == null) {
      nowhere(nowNanos);
      return;
    }
    seen = true;
    nowhereNanos = null;
    if (place instanceof ResultState.Settled settled) {
      future.complete(settled);
    } else if (place instanceof ResultState.Dead dead) {
      future.completeExceptionally(new DeadLetterException(id, dead.reason(), dead.detail()));
    }
  }

  private void nowhere(long nowNanos) {
    Long since = nowhereNanos;
    if (since == null) {
      nowhereNanos = nowNanos;
    } else if (nowNanos - since >= APART_NANOS && (seen || nowNanos - begunNanos >= UNSEEN_NANOS)) {
      future.completeExceptionally(new ResultUnavailableException(id));
    }
  }
}
