package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Records the events of one attempt. Thread-safe. */
final class Recording {

  private final Map<MessageId, End> ends = new ConcurrentHashMap<>();
  private final List<QueuedMessage> inTransaction = new ArrayList<>();
  private final List<QueuedMessage> byItself = new ArrayList<>();
  private final List<ContextCalls.Progress> progress = new ArrayList<>();
  private final List<Duration> extensions = new ArrayList<>();
  private int cancelLooks;
  private long lastId;
  private @Nullable Throwable thrown;
  private @Nullable Object result;
  private @Nullable String statement;
  private @Nullable String changed;
  private @Nullable String stuck;

  /** Called with the handler; a transaction that is retried starts over. */
  synchronized void begins() {
    inTransaction.clear();
    thrown = null;
    result = null;
  }

  synchronized void threw(Throwable failure) {
    thrown = failure;
  }

  synchronized void gave(@Nullable Object value) {
    result = value;
  }

  synchronized long nextId() {
    return ++lastId;
  }

  synchronized void enqueued(QueuedMessage message, boolean shared) {
    (shared ? inTransaction : byItself).add(message);
  }

  synchronized void reported(long done, @Nullable Long total, String note) {
    progress.add(new ContextCalls.Progress(done, total, note));
  }

  synchronized void extended(Duration fromNow) {
    extensions.add(fromNow);
  }

  synchronized void lookedForCancel() {
    cancelLooks++;
  }

  /** The handler sent SQL without a database. */
  synchronized void sent(String sql) {
    statement = statement == null ? sql : statement;
  }

  synchronized @Nullable String sent() {
    return statement;
  }

  /** The payload changed in its codec. */
  synchronized void changed(String how) {
    changed = changed == null ? how : changed;
  }

  synchronized @Nullable String changed() {
    return changed;
  }

  /** The handler ignored its interrupt. */
  synchronized void stuckAt(String stack) {
    stuck = stack;
  }

  synchronized @Nullable String stuck() {
    return stuck;
  }

  End end(Claim claim) {
    return ends.computeIfAbsent(claim.id(), id -> new End());
  }

  synchronized TestedHandling of(Claim claim) {
    End end = end(claim);
    boolean committed = end.outcome == Outcome.ACKED;
    List<QueuedMessage> kept = new ArrayList<>(byItself);
    if (committed) {
      kept.addAll(inTransaction);
    }
    return new TestedHandling(
        end.outcome,
        end.delay,
        end.reason,
        end.error,
        thrown,
        result,
        new QueueContents(kept, List.of()),
        new QueueContents(committed ? List.of() : inTransaction, List.of()),
        new ContextCalls(progress, extensions, cancelLooks));
  }

  /** The outcome of one claim, as reported to settler and watch. */
  static final class End {
    volatile Outcome outcome = Outcome.ABANDONED;
    volatile @Nullable Duration delay;
    volatile @Nullable DeadLetterReason reason;
    volatile @Nullable AttemptError error;
  }
}
