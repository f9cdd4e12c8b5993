package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.ERROR;

import io.rowqueue.claim.Claim;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.settle.Settler;
import io.rowqueue.tests.statement.Core;
import java.time.Duration;
import java.util.List;

/** How claims end. */
final class SettlementOperations {

  private SettlementOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(
            Transition.RETRY,
            (fixture, core) -> {
              Claim claim = fixture.claimed(1).get(0);
              return () -> core.get(Settler.class).retry(claim, ERROR, Duration.ofSeconds(2));
            }),
        Operation.of(
            Transition.RELEASE,
            "asked for by the handler",
            (fixture, core) -> {
              Claim claim = fixture.claimed(1).get(0);
              return () -> core.get(Settler.class).release(claim, Duration.ofSeconds(1));
            }),
        Operation.of(Transition.RELEASE, "at a drain", releaseAll(1)),
        Operation.more(Transition.RELEASE, "three at a drain", releaseAll(3)),
        Operation.of(Transition.ACK, "one message", SettlementOperations::ackOne),
        Operation.of(
            Transition.ACK,
            "a batch, or many that were handled without a transaction",
            SettlementOperations::ackMany),
        Operation.of(Transition.ACK, "where the topic keeps copies", ackWithCopies(1)),
        Operation.more(
            Transition.ACK,
            "many where the topic keeps copies, and one has failed before",
            ackWithCopies(3)),
        Operation.of(
            Transition.DEAD_LETTER,
            (fixture, core) -> {
              fixture.messages(1);
              fixture.failedOnce();
              Claim claim = fixture.claims().get(0);
              return () ->
                  core.get(Settler.class)
                      .deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR);
            }));
  }

  private static Setup releaseAll(int count) {
    return (fixture, core) -> {
      List<Claim> claims = fixture.claimed(count);
      return () -> core.get(Settler.class).releaseAll(claims);
    };
  }

  /** The first of all: nobody knows yet whether its topic keeps copies. */
  private static Act ackOne(Fixture fixture, Core core) {
    fixture.messages(1);
    fixture.failedOnce();
    Claim claim = fixture.claims().get(0);
    return Act.ack(core, claim);
  }

  private static Act ackMany(Fixture fixture, Core core) {
    fixture.messages(3);
    fixture.sql("UPDATE queue_message SET claims = 1 WHERE id = 3");
    List<Claim> claims = fixture.claims();
    core.get(TopicSettings.class).refresh(null);
    return () -> core.get(Settler.class).ackAll(claims);
  }

  private static Setup ackWithCopies(int count) {
    return (fixture, core) -> {
      fixture.messages(count);
      if (count > 1) {
        fixture.failedOnce();
        fixture.sql(
            "UPDATE queue_message SET attempts = 0 WHERE id > 1",
            "DELETE FROM queue_attempt WHERE message_id > 1");
      }
      List<Claim> claims = fixture.claims();
      fixture.sql("INSERT INTO queue_topic (topic, keep_days) VALUES ('play', 7)");
      core.get(TopicSettings.class).refresh(null);
      return () -> core.get(Settler.class).ackAll(claims);
    };
  }
}
