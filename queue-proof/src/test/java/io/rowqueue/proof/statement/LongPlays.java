package io.rowqueue.proof.statement;

import io.rowqueue.claim.ClaimKey;
import io.rowqueue.database.Transition;
import io.rowqueue.message.MessageId;
import io.rowqueue.progress.ProgressReport;
import io.rowqueue.progress.ProgressStore;
import java.util.List;

/** What long handlers, and those who watch them, bring about. */
final class LongPlays {

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

  private static ProgressReport report(long id) {
    return new ProgressReport(new ClaimKey(new MessageId(id), 1), 17, 40L, "part-17");
  }
}
