package io.rowqueue.proof.operation;

import io.rowqueue.cancel.Cancellations;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimKey;
import io.rowqueue.database.Transition;
import io.rowqueue.message.MessageId;
import io.rowqueue.operate.Messages;
import io.rowqueue.progress.ProgressReport;
import io.rowqueue.progress.ProgressStore;
import io.rowqueue.settle.Settler;
import java.util.List;
import java.util.function.Function;

/** What long handlers, and those who watch them, bring about. */
final class LongOperations {

  private static final MessageId FIRST = new MessageId(1);

  private static final String WISH = "INSERT INTO queue_cancel VALUES (1, UTC_TIMESTAMP(6), 'ada')";

  private LongOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(
            Transition.REPORT,
            "of one message",
            (fixture, core) -> {
              fixture.claimed(1);
              return Act.done(() -> core.get(ProgressStore.class).report(List.of(report(1))));
            }),
        Operation.more(
            Transition.REPORT,
            "one of which has said something before",
            (fixture, core) -> {
              fixture.claimed(2);
              core.get(ProgressStore.class).report(List.of(report(1)));
              return Act.done(
                  () -> core.get(ProgressStore.class).report(List.of(report(2), report(1))));
            }),
        Operation.of(
            Transition.REPORT,
            "that has ended",
            (fixture, core) -> {
              fixture.claimed(1);
              core.get(ProgressStore.class).report(List.of(report(1)));
              return Act.done(
                  () -> core.get(ProgressStore.class).forget(List.of(report(1).claim())));
            }),
        Operation.of(Transition.ASK_CANCEL, "of what nobody has claimed", onMessage("state = 0")),
        Operation.of(
            Transition.ASK_CANCEL,
            "of what somebody has claimed",
            onMessage("state = 1, claims = 1, lock_id = 'w'")),
        Operation.of(
            Transition.CANCEL_CLAIMED,
            (fixture, core) -> {
              fixture.messages(1);
              fixture.failedOnce();
              fixture.sql(WISH);
              Claim claim = fixture.claims().get(0);
              return () -> core.get(Settler.class).cancel(claim);
            }),
        Operation.of(
            Transition.APPLY_CANCEL,
            "of what nobody holds any more",
            onWish(wishes -> wishes.apply(FIRST))),
        Operation.of(
            Transition.APPLY_CANCEL,
            "of what is gone",
            onWish(
                wishes -> {
                  wishes.forget(FIRST);
                  return "done";
                })),
        Operation.of(
            Transition.PRUNE,
            "what the dead have said",
            (fixture, core) -> {
              fixture.sql(
                  "INSERT INTO queue_progress VALUES (1, 1, 1, 2, 'n', UTC_TIMESTAMP(6) - INTERVAL"
                      + " 1 HOUR)");
              return () -> core.get(ProgressStore.class).prune(500);
            }));
  }

  private static Setup onMessage(String changes) {
    return (fixture, core) -> {
      fixture.messages(1);
      fixture.failedOnce();
      fixture.sql("UPDATE queue_message SET " + changes);
      return () -> core.get(Messages.class).askCancel(FIRST, "ada");
    };
  }

  private static Setup onWish(Function<Cancellations, Object> action) {
    return (fixture, core) -> {
      fixture.messages(1);
      fixture.failedOnce();
      fixture.sql(WISH);
      return () -> action.apply(core.get(Cancellations.class));
    };
  }

  private static ProgressReport report(long id) {
    return new ProgressReport(new ClaimKey(new MessageId(id), 1), 17, 40L, "part-17");
  }
}
