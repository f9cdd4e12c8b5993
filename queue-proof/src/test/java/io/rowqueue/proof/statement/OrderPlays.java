package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.Scenery.TOPIC;

import io.rowqueue.claim.Claim;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.Admission;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.order.LineSweep;
import io.rowqueue.proof.statement.Play.Scene;
import io.rowqueue.settle.AttemptError;
import io.rowqueue.settle.Settler;
import io.rowqueue.wakeup.Ring;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** How messages with ordering keys come into their lines, move up and leave them. */
final class OrderPlays {

  private static final AttemptError ERROR = new AttemptError("E", "m", "t");

  private static final String LINE = "UNHEX(LEFT(SHA2(CONCAT('play', CHAR(0), '%s'), 256), 32))";

  private OrderPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(Transition.ENQUEUE, "with a new ordering key", enqueue(false, "a", "a")),
        Play.of(Transition.ENQUEUE, "with an ordering key that is known", enqueue(true, "a", "a")),
        Play.more(Transition.ENQUEUE, "with several ordering keys", enqueue(false, "a", "b", "a")),
        Play.of(Transition.ADMIT, OrderPlays::admit),
        Play.of(Transition.ADMIT, "what stalled", OrderPlays::goOn),
        Play.of(Transition.ACK, "of a head, with another in line", ack(2)),
        Play.more(Transition.ACK, "of a head with nobody behind it", ack(1)),
        Play.more(Transition.ACK, "of two heads that share a COMMIT", OrderPlays::ackTwo),
        Play.more(Transition.DEAD_LETTER, "of a head that is stepped over", OrderPlays::setAside),
        Play.more(
            Transition.REDRIVE, "with an ordering key", onDead((dead, id) -> dead.redrive(id))),
        Play.more(
            Transition.DISCARD,
            "with an ordering key",
            onDead((dead, id) -> dead.discardAll(List.of(id)) == 1)),
        Play.more(Transition.CANCEL, "in line", OrderPlays::cancel),
        Play.of(Transition.ORDER, OrderPlays::order),
        Play.of(Transition.SWEEP_LINES, OrderPlays::sweep),
        Play.of(Transition.PRUNE_LINES, OrderPlays::prune));
  }

  private static Scene enqueue(boolean known, String... keys) {
    return (scenery, core) -> {
      if (known) {
        scenery.sql(
            "INSERT INTO queue_order_key VALUES ("
                + LINE.formatted("a")
                + ", 1, UTC_TIMESTAMP(6))");
      }
      List<NewMessage> messages = new ArrayList<>();
      for (String key : keys) {
        messages.add(NewMessage.of(TOPIC, messages.size() + " of " + key).withOrderingKey(key));
      }
      return () ->
          scenery.payloads(
              MessageProducer.create()
                  .ringing(Ring.SILENT)
                  .enqueueAll(core.connections(), messages));
    };
  }

  /** Messages 1 and on of the same line, as their producer left them. */
  private static void line(Scenery scenery, int count) {
    scenery.messages(
        count,
        "ordering_key = 'a', state = IF(id = 1, 4, 3), due_at = IF(id = 1,"
            + " TIMESTAMP'1970-01-01 00:00:00', due_at)");
    scenery.sql(
        "INSERT INTO queue_order SELECT " + LINE.formatted("a") + ", id FROM queue_message");
  }

  private static void head(Scenery scenery, String key, String message, int stalled) {
    scenery.sql(
        "INSERT INTO queue_order_head (order_id, topic, ordering_key, message_id, stalled, version,"
            + " updated_at) VALUES (%s, 'play', '%s', %s, %d, 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)"
                .formatted(LINE.formatted(key), key, message, stalled));
  }

  private static Play.Act admit(Scenery scenery, Core core) {
    line(scenery, 3);
    return () -> core.get(Admission.class).admitNow();
  }

  private static Play.Act goOn(Scenery scenery, Core core) {
    line(scenery, 2);
    scenery.sql("UPDATE queue_message SET state = 3");
    head(scenery, "a", "NULL", 1);
    return () -> core.get(Admission.class).admitNow();
  }

  /** The first is a worker's, the others wait. */
  private static Claim claimed(Scenery scenery, int count) {
    line(scenery, count);
    scenery.sql(
        "UPDATE queue_message SET state = 0 WHERE id = 1",
        "DELETE FROM queue_order WHERE message_id = 1");
    head(scenery, "a", "1", 0);
    return scenery.claims().get(0);
  }

  private static Scene ack(int count) {
    return (scenery, core) -> {
      Claim head = claimed(scenery, count);
      return () ->
          core.get(Transactions.class)
              .run(
                  Transition.ACK,
                  tx -> {
                    core.get(Settler.class).ack(tx, head);
                    return "acked";
                  });
    };
  }

  private static Play.Act ackTwo(Scenery scenery, Core core) {
    scenery.messages(4, "ordering_key = IF(id % 2 = 1, 'a', 'b'), state = IF(id < 3, 0, 3)");
    scenery.sql(
        "INSERT INTO queue_order SELECT IF(id = 3, %s, %s), id FROM queue_message WHERE id > 2"
            .formatted(LINE.formatted("a"), LINE.formatted("b")));
    head(scenery, "a", "1", 0);
    head(scenery, "b", "2", 0);
    List<Claim> heads = scenery.claims();
    return () -> core.get(Settler.class).ackAll(heads);
  }

  private static Play.Act setAside(Scenery scenery, Core core) {
    scenery.sql("INSERT INTO queue_topic (topic, set_aside) VALUES ('play', 1)");
    Claim head = claimed(scenery, 2);
    return () ->
        core.get(Settler.class).deadLetter(head, DeadLetterReason.PERMANENT_FAILURE, ERROR);
  }

  private static MessageId dead(Scenery scenery) {
    Claim head = claimed(scenery, 2);
    scenery.deadLetter(head);
    return head.id();
  }

  private static Scene onDead(BiFunction<DeadLetters, MessageId, Boolean> action) {
    return (scenery, core) -> {
      MessageId dead = dead(scenery);
      return () -> action.apply(core.get(DeadLetters.class), dead);
    };
  }

  private static Play.Act cancel(Scenery scenery, Core core) {
    line(scenery, 2);
    return () -> {
      core.get(Messages.class).cancel(new MessageId(1));
      return "cancelled";
    };
  }

  private static Play.Act order(Scenery scenery, Core core) {
    dead(scenery);
    return () -> {
      core.get(Topics.class).afterDeadLetter(TOPIC, AfterDeadLetter.SET_ASIDE);
      return "set";
    };
  }

  private static Play.Act sweep(Scenery scenery, Core core) {
    head(scenery, "a", "7", 0);
    return () -> core.get(LineSweep.class).sweep(10);
  }

  private static Play.Act prune(Scenery scenery, Core core) {
    head(scenery, "a", "NULL", 0);
    scenery.sql(
        "INSERT INTO queue_order_key VALUES ("
            + LINE.formatted("a")
            + ", 1, UTC_TIMESTAMP(6) - INTERVAL 2 DAY)");
    return () -> core.get(LineSweep.class).prune(10);
  }
}
