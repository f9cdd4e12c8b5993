package io.rowqueue.internal.handle;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Several messages are handled one after another on one connection, with one COMMIT for all.
 *
 * By default a group has one savepoint, which shows that its transaction is still the same, and its
 * messages are deleted together at its end. This suffices for handlers that only read and write rows.
 * A failure undoes the whole group. Before a statement that may commit or names a savepoint, the messages
 * handled so far are deleted, so that a commit includes their deletions; the group ends with that handling.
 *
 * After either, the next groups of the topic are careful: each message gets a savepoint of its own, to
 * which it is undone when it fails, and is deleted right after its handler.
 *
 * Failures that undo more than one message (a deadlock, a handler that ended the transaction, a lost
 * connection) undo the whole group in both modes, and each of the other messages is handled again
 * individually. If the first handling of a message in a careful group was committed after all, its
 * claim is gone, and the second handling leaves no trace.
 */
/** Handlings that share one COMMIT. Thread-safe. */
final class SharedCommitHandling {

  private static final Logger LOG = LoggerFactory.getLogger(SharedCommitHandling.class);

  /** Up to 1,600 messages: a topic that fails more often than that is always careful. */
  private static final int CAREFUL_GROUPS = 16;

  private final HandlerInvoker calls;
  private final Transactions transactions;
  private final Settler settler;
  private final AloneHandling alone;
  private final Map<Topic, Integer> careful = new ConcurrentHashMap<>();

  SharedCommitHandling(
      HandlerInvoker calls, Transactions transactions, Settler settler, AloneHandling alone) {
    this.calls = calls;
    this.transactions = transactions;
    this.settler = settler;
    this.alone = alone;
  }

  /** Handles and settles a group that starts with {@code first}; false if the watcher took over. */
  boolean handle(
      Claim first, BoundHandler handler, Supplier<@Nullable Claim> more, HandlingListener watch) {
    if (!HandlerPipeline.mayShare(first)) {
      return alone.handle(first, handler, watch);
    }
    SharedCommit group =
        new SharedCommit(
            calls,
            settler,
            handler,
            watch,
            first,
            !handler.isAdaptive() && isCareful(first.topic()));
    List<Claim> again = List.of();
    String why = "";
    try {
      transactions.runOnce(
          Transition.ACK,
          tx -> {
            group.run(tx, first, more);
            return true;
          });
      handler.commits().committed(group.handled().size(), group.nanosSinceHandled());
      handler.groupLimit().end(first, group.handled().size(), System.nanoTime());
      group.handled().forEach(claim -> watch.settled(claim, Outcome.ACKED));
    } catch (CommitOutcomeUnknownException e) {
      for (Claim claim : group.handled()) {
        watch.settled(claim, HandlerInvoker.settled(claim, () -> calls.releaseRefused(claim, e)));
      }
    } catch (QueueException e) {
      again = group.undone();
      why = FailureText.of(e);
    }
    if (handler.isAdaptive()) {
      if (group.wantsCare() || !again.isEmpty()) {
        handler.commits().disturbed();
      }
    } else if (group.wantsCare()) {
      careful.put(first.topic(), CAREFUL_GROUPS);
    }
    if (!group.end()) {
      return false;
    }
    if (!again.isEmpty()) {
      LOG.info(
          "a shared commit was rolled back; {} now handled individually: {}",
          Humanize.count(again.size(), "message is", "messages are"),
          why);
    }
    return eachAlone(again, handler, watch);
  }

  private boolean isCareful(Topic topic) {
    return careful.computeIfPresent(topic, (one, groups) -> groups > 0 ? groups - 1 : null) != null;
  }

  private boolean eachAlone(List<Claim> claims, BoundHandler handler, HandlingListener watch) {
    boolean mine = true;
    for (Claim claim : claims) {
      if (mine) {
        mine = alone.handle(claim, handler, watch);
      } else {
        watch.settled(claim, Outcome.GIVEN_UP);
      }
    }
    return mine;
  }
}
