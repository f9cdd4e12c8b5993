package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.ERROR;
import static io.rowqueue.proof.operation.Fixture.TOPIC;

import io.rowqueue.claim.Claim;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.Admission;
import io.rowqueue.order.LineSweep;
import io.rowqueue.settle.Settler;
import io.rowqueue.tests.statement.Core;
import java.time.Duration;
import java.util.List;

/** How messages come and go whose topic has room for several of a key. */
final class KeyLimitOperations {

  private static final String LINE = "UNHEX(LEFT(SHA2(CONCAT('play', CHAR(0), 'a'), 256), 32))";

  private KeyLimitOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.APPLY_LIMIT, KeyLimitOperations::apply),
        Operation.more(
            Transition.LIMIT,
            "for each key",
            (fixture, core) ->
                () -> {
                  core.get(Topics.class).limitKeyInFlight(TOPIC, 2);
                  core.get(Topics.class).limitKeyPerSecond(TOPIC, 9);
                  return "set";
                }),
        Operation.of(
            Transition.ADMIT,
            "a line with room for several, and a rate",
            KeyLimitOperations::admit),
        Operation.of(Transition.ACK, "of one of several of a key", KeyLimitOperations::ack),
        Operation.of(Transition.RETRY, "of one of several of a key", KeyLimitOperations::retry),
        Operation.more(
            Transition.RELEASE, "of one of several of a key", KeyLimitOperations::release),
        Operation.more(
            Transition.DEAD_LETTER, "of one of several of a key", KeyLimitOperations::deadLetter),
        Operation.more(Transition.SWEEP_LINES, "beside a head", KeyLimitOperations::sweep));
  }

  /** Messages 1 and 2 may be handled, and 3 and 4 wait. */
  private static void line(Fixture fixture) {
    fixture.messages(4, "ordering_key = 'a', state = IF(id < 3, 0, 3)");
    fixture.sql(
        "INSERT INTO queue_topic (topic, key_in_flight, key_in_flight_seen) VALUES ('play', 2, 2)",
        "INSERT INTO queue_order SELECT " + LINE + ", id FROM queue_message WHERE id > 2",
        "INSERT INTO queue_order_running VALUES (" + LINE + ", 2)",
        "INSERT INTO queue_order_head (order_id, topic, ordering_key, message_id, several, version,"
            + " updated_at) VALUES ("
            + LINE
            + ", 'play', 'a', 1, 1, 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)");
  }

  /** Message 2 as a claim. */
  private static Claim second(Fixture fixture) {
    line(fixture);
    return fixture.claims().get(1);
  }

  private static Act apply(Fixture fixture, Core core) {
    line(fixture);
    fixture.sql("UPDATE queue_topic SET key_in_flight = 3");
    return () -> core.get(Admission.class).heedLimits();
  }

  private static Act admit(Fixture fixture, Core core) {
    fixture.messages(
        3,
        "ordering_key = 'a', state = IF(id = 1, 4, 3), due_at = IF(id = 1,"
            + " TIMESTAMP'1970-01-01 00:00:00', due_at)");
    fixture.sql(
        "INSERT INTO queue_topic (topic, key_in_flight, key_in_flight_seen, key_per_second) VALUES"
            + " ('play', 2, 2, 100)",
        "INSERT INTO queue_order SELECT " + LINE + ", id FROM queue_message");
    return () -> core.get(Admission.class).admitNow();
  }

  private static Act ack(Fixture fixture, Core core) {
    List<Claim> second = List.of(second(fixture));
    return () -> core.get(Settler.class).ackAll(second);
  }

  private static Act retry(Fixture fixture, Core core) {
    Claim second = second(fixture);
    return () -> core.get(Settler.class).retry(second, ERROR, Duration.ofHours(1));
  }

  private static Act release(Fixture fixture, Core core) {
    Claim second = second(fixture);
    return () -> core.get(Settler.class).release(second, Duration.ofHours(1));
  }

  private static Act deadLetter(Fixture fixture, Core core) {
    Claim second = second(fixture);
    return () ->
        core.get(Settler.class).deadLetter(second, DeadLetterReason.PERMANENT_FAILURE, ERROR);
  }

  private static Act sweep(Fixture fixture, Core core) {
    line(fixture);
    fixture.sql("DELETE FROM queue_message WHERE id = 2");
    return () -> core.get(LineSweep.class).sweep(10);
  }
}
