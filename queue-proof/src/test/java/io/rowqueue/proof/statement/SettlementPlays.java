package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.Scenery.ERROR;

import io.rowqueue.claim.Claim;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.proof.statement.Play.Act;
import io.rowqueue.proof.statement.Play.Scene;
import io.rowqueue.settle.Settler;
import java.time.Duration;
import java.util.List;

/** How claims end. */
final class SettlementPlays {

  private SettlementPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(
            Transition.RETRY,
            (scenery, core) -> {
              Claim claim = scenery.claimed(1).get(0);
              return () -> core.get(Settler.class).retry(claim, ERROR, Duration.ofSeconds(2));
            }),
        Play.of(
            Transition.RELEASE,
            "asked for by the handler",
            (scenery, core) -> {
              Claim claim = scenery.claimed(1).get(0);
              return () -> core.get(Settler.class).release(claim, Duration.ofSeconds(1));
            }),
        Play.of(Transition.RELEASE, "at a drain", releaseAll(1)),
        Play.more(Transition.RELEASE, "three at a drain", releaseAll(3)),
        Play.of(Transition.ACK, "one message", SettlementPlays::ackOne),
        Play.of(
            Transition.ACK,
            "a batch, or many that were handled without a transaction",
            SettlementPlays::ackMany),
        Play.of(Transition.ACK, "where the topic keeps copies", ackWithCopies(1)),
        Play.more(
            Transition.ACK,
            "many where the topic keeps copies, and one has failed before",
            ackWithCopies(3)),
        Play.of(
            Transition.DEAD_LETTER,
            (scenery, core) -> {
              scenery.messages(1);
              scenery.failedOnce();
              Claim claim = scenery.claims().get(0);
              return () ->
                  core.get(Settler.class)
                      .deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR);
            }));
  }

  private static Scene releaseAll(int count) {
    return (scenery, core) -> {
      List<Claim> claims = scenery.claimed(count);
      return () -> core.get(Settler.class).releaseAll(claims);
    };
  }

  /** The first of all: nobody knows yet whether its topic keeps copies. */
  private static Act ackOne(Scenery scenery, Core core) {
    scenery.messages(1);
    scenery.failedOnce();
    Claim claim = scenery.claims().get(0);
    return () ->
        core.get(Transactions.class)
            .run(
                Transition.ACK,
                tx -> {
                  core.get(Settler.class).ack(tx, claim);
                  return "done";
                });
  }

  private static Act ackMany(Scenery scenery, Core core) {
    scenery.messages(3);
    scenery.sql("UPDATE queue_message SET claims = 1 WHERE id = 3");
    List<Claim> claims = scenery.claims();
    core.get(TopicSettings.class).refresh(null);
    return () -> core.get(Settler.class).ackAll(claims);
  }

  private static Scene ackWithCopies(int count) {
    return (scenery, core) -> {
      scenery.messages(count);
      if (count > 1) {
        scenery.failedOnce();
        scenery.sql(
            "UPDATE queue_message SET attempts = 0 WHERE id > 1",
            "DELETE FROM queue_attempt WHERE message_id > 1");
      }
      List<Claim> claims = scenery.claims();
      scenery.sql("INSERT INTO queue_topic (topic, keep_days) VALUES ('play', 7)");
      core.get(TopicSettings.class).refresh(null);
      return () -> core.get(Settler.class).ackAll(claims);
    };
  }
}
