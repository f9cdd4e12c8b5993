package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.Scenery.TOPIC;

import io.rowqueue.claim.Claim;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.Admission;
import io.rowqueue.order.LineSweep;
import io.rowqueue.settle.AttemptError;
import io.rowqueue.settle.Settler;
import java.time.Duration;
import java.util.List;

/** How messages come and go whose topic has room for several of a key. */
final class KeyLimitPlays {

  private static final AttemptError ERROR = new AttemptError("E", "m", "t");
  private static final String LINE = "UNHEX(LEFT(SHA2(CONCAT('play', CHAR(0), 'a'), 256), 32))";

  private KeyLimitPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(Transition.APPLY_LIMIT, KeyLimitPlays::apply),
        Play.more(
            Transition.LIMIT,
            "for each key",
            (scenery, core) ->
                () -> {
                  core.get(Topics.class).limitKeyInFlight(TOPIC, 2);
                  core.get(Topics.class).limitKeyPerSecond(TOPIC, 9);
                  return "set";
                }),
        Play.of(Transition.ADMIT, "a line with room for several, and a rate", KeyLimitPlays::admit),
        Play.of(Transition.ACK, "of one of several of a key", KeyLimitPlays::ack),
        Play.of(Transition.RETRY, "of one of several of a key", KeyLimitPlays::retry),
        Play.more(Transition.RELEASE, "of one of several of a key", KeyLimitPlays::release),
        Play.more(Transition.DEAD_LETTER, "of one of several of a key", KeyLimitPlays::deadLetter),
        Play.more(Transition.SWEEP_LINES, "beside a head", KeyLimitPlays::sweep));
  }

  /** Messages 1 and 2 may be handled, and 3 and 4 wait. */
  private static void line(Scenery scenery) {
    scenery.messages(4, "ordering_key = 'a', state = IF(id < 3, 0, 3)");
    scenery.sql(
        "INSERT INTO queue_topic (topic, key_in_flight, key_in_flight_seen) VALUES ('play', 2, 2)",
        "INSERT INTO queue_order SELECT " + LINE + ", id FROM queue_message WHERE id > 2",
        "INSERT INTO queue_order_running VALUES (" + LINE + ", 2)",
        "INSERT INTO queue_order_head (order_id, topic, ordering_key, message_id, several, version,"
            + " updated_at) VALUES ("
            + LINE
            + ", 'play', 'a', 1, 1, 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)");
  }

  /** Message 2 as a claim. */
  private static Claim second(Scenery scenery) {
    line(scenery);
    return scenery.claims().get(1);
  }

  private static Play.Act apply(Scenery scenery, Core core) {
    line(scenery);
    scenery.sql("UPDATE queue_topic SET key_in_flight = 3");
    return () -> core.get(Admission.class).heedLimits();
  }

  private static Play.Act admit(Scenery scenery, Core core) {
    scenery.messages(
        3,
        "ordering_key = 'a', state = IF(id = 1, 4, 3), due_at = IF(id = 1,"
            + " TIMESTAMP'1970-01-01 00:00:00', due_at)");
    scenery.sql(
        "INSERT INTO queue_topic (topic, key_in_flight, key_in_flight_seen, key_per_second) VALUES"
            + " ('play', 2, 2, 100)",
        "INSERT INTO queue_order SELECT " + LINE + ", id FROM queue_message");
    return () -> core.get(Admission.class).admitNow();
  }

  private static Play.Act ack(Scenery scenery, Core core) {
    List<Claim> second = List.of(second(scenery));
    return () -> core.get(Settler.class).ackAll(second);
  }

  private static Play.Act retry(Scenery scenery, Core core) {
    Claim second = second(scenery);
    return () -> core.get(Settler.class).retry(second, ERROR, Duration.ofHours(1));
  }

  private static Play.Act release(Scenery scenery, Core core) {
    Claim second = second(scenery);
    return () -> core.get(Settler.class).release(second, Duration.ofHours(1));
  }

  private static Play.Act deadLetter(Scenery scenery, Core core) {
    Claim second = second(scenery);
    return () ->
        core.get(Settler.class).deadLetter(second, DeadLetterReason.PERMANENT_FAILURE, ERROR);
  }

  private static Play.Act sweep(Scenery scenery, Core core) {
    line(scenery);
    scenery.sql("DELETE FROM queue_message WHERE id = 2");
    return () -> core.get(LineSweep.class).sweep(10);
  }
}
