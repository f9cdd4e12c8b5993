package io.rowqueue.proof.operation;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.HandlerResult;
import io.rowqueue.database.Transition;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.result.ResultPruning;
import io.rowqueue.result.Waiters;
import io.rowqueue.settle.Settler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What handlers give back, and those who await it. */
final class ResultOperations {

  private ResultOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(
            Transition.ACK,
            "with a result",
            (fixture, core) -> {
              Claim claim = withResult(fixture.claimed(1).get(0));
              core.get(TopicSettings.class).refresh(null);
              return Act.ack(core, claim);
            }),
        Operation.more(Transition.ACK, "of many, two of which have a result", ackMany()),
        Operation.of(
            Transition.REGISTER_WAITER,
            (fixture, core) ->
                Act.done(() -> core.get(Waiters.class).register("waiter-1", 7, "server"))),
        Operation.of(
            Transition.PRUNE_RESULTS,
            (fixture, core) -> {
              fixture.sql(
                  "INSERT INTO queue_result (message_id, topic, settled_at, expires_at) VALUES (1,"
                      + " 'play', UTC_TIMESTAMP(6) - INTERVAL 1 DAY, UTC_TIMESTAMP(6) - INTERVAL 1"
                      + " HOUR)",
                  "INSERT INTO queue_waiter VALUES ('waiter-1', 7, 'server', UTC_TIMESTAMP(6) -"
                      + " INTERVAL 2 HOUR)");
              return () -> core.get(ResultPruning.class).prune(10);
            }));
  }

  private static Setup ackMany() {
    return (fixture, core) -> {
      List<Claim> claims = new ArrayList<>(fixture.claimed(3));
      claims.set(0, withResult(claims.get(0)));
      claims.set(2, withResult(claims.get(2)));
      core.get(TopicSettings.class).refresh(null);
      return () -> core.get(Settler.class).ackAll(claims);
    };
  }

  private static Claim withResult(Claim claim) {
    byte[] content = "1".getBytes(StandardCharsets.UTF_8);
    return claim.withResult(new HandlerResult(null, content, Duration.ofHours(1), null));
  }
}
