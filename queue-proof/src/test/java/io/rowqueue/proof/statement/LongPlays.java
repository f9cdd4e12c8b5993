package io.rowqueue.proof.statement;

import io.rowqueue.cancel.Cancellations;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimKey;
import io.rowqueue.database.Transition;
import io.rowqueue.message.MessageId;
import io.rowqueue.operate.Messages;
import io.rowqueue.progress.ProgressReport;
import io.rowqueue.progress.ProgressStore;
import io.rowqueue.proof.statement.Play.Scene;
import io.rowqueue.settle.Settler;
import java.util.List;
import java.util.function.Function;

/** What long handlers, and those who watch them, bring about. */
final class LongPlays {

  private static final MessageId FIRST = new MessageId(1);

  private static final String WISH = "INSERT INTO queue_cancel VALUES (1, UTC_TIMESTAMP(6), 'ada')";

  private LongPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(
            Transition.REPORT,
            "of one message",
            (scenery, core) -> {
              scenery.claimed(1);
              return () -> {
                core.get(ProgressStore.class).report(List.of(report(1)));
                return "done";
              };
            }),
        Play.more(
            Transition.REPORT,
            "one of which has said something before",
            (scenery, core) -> {
              scenery.claimed(2);
              core.get(ProgressStore.class).report(List.of(report(1)));
              return () -> {
                core.get(ProgressStore.class).report(List.of(report(2), report(1)));
                return "done";
              };
            }),
        Play.of(
            Transition.REPORT,
            "that has ended",
            (scenery, core) -> {
              scenery.claimed(1);
              core.get(ProgressStore.class).report(List.of(report(1)));
              return () -> {
                core.get(ProgressStore.class).forget(List.of(report(1).claim()));
                return "done";
              };
            }),
        Play.of(Transition.ASK_CANCEL, "of what nobody has claimed", onMessage("state = 0")),
        Play.of(
            Transition.ASK_CANCEL,
            "of what somebody has claimed",
            onMessage("state = 1, claims = 1, lock_id = 'w'")),
        Play.of(
            Transition.CANCEL_CLAIMED,
            (scenery, core) -> {
              scenery.messages(1);
              scenery.failedOnce();
              scenery.sql(WISH);
              Claim claim = scenery.claims().get(0);
              return () -> core.get(Settler.class).cancel(claim);
            }),
        Play.of(
            Transition.APPLY_CANCEL,
            "of what nobody holds any more",
            onWish(wishes -> wishes.apply(FIRST))),
        Play.of(
            Transition.APPLY_CANCEL,
            "of what is gone",
            onWish(
                wishes -> {
                  wishes.forget(FIRST);
                  return "done";
                })),
        Play.of(
            Transition.PRUNE,
            "what the dead have said",
            (scenery, core) -> {
              scenery.sql(
                  "INSERT INTO queue_progress VALUES (1, 1, 1, 2, 'n', UTC_TIMESTAMP(6) - INTERVAL"
                      + " 1 HOUR)");
              return () -> core.get(ProgressStore.class).prune(500);
            }));
  }

  private static Scene onMessage(String changes) {
    return (scenery, core) -> {
      scenery.messages(1);
      scenery.failedOnce();
      scenery.sql("UPDATE queue_message SET " + changes);
      return () -> core.get(Messages.class).askCancel(FIRST, "ada");
    };
  }

  private static Scene onWish(Function<Cancellations, Object> action) {
    return (scenery, core) -> {
      scenery.messages(1);
      scenery.failedOnce();
      scenery.sql(WISH);
      return () -> action.apply(core.get(Cancellations.class));
    };
  }

  private static ProgressReport report(long id) {
    return new ProgressReport(new ClaimKey(new MessageId(id), 1), 17, 40L, "part-17");
  }
}
