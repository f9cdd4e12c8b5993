package io.rowqueue.internal.result;

import io.rowqueue.DeadLetterException;
import io.rowqueue.MessageId;
import io.rowqueue.ResultUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One wait for the result of one message. An id that is in no table may be one that this server
 * does not have yet: its node lags, or the enqueuing transaction has not committed. So a missing id
 * counts only after two polls with some time between them, and an id that was never seen only some
 * time after the wait began. Polls come from one thread; the future may be used by any.
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

  /** A poll at {@code nowNanos} found it at {@code place}; null if it is in no table. */
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
