package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.ERROR;
import static io.rowqueue.proof.operation.Fixture.TOPIC;

import io.rowqueue.claim.Claim;
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
import io.rowqueue.settle.Settler;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.grant.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** How messages with ordering keys come into their lines, move up and leave them. */
final class OrderOperations {

  private static final String LINE = "UNHEX(LEFT(SHA2(CONCAT('play', CHAR(0), '%s'), 256), 32))";

  private OrderOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.ENQUEUE, "with a new ordering key", enqueue(false, "a", "a"))
            .by(Role.ORDER),
        Operation.of(
                Transition.ENQUEUE, "with an ordering key that is known", enqueue(true, "a", "a"))
            .by(Role.ORDER),
        Operation.more(
                Transition.ENQUEUE, "with several ordering keys", enqueue(false, "a", "b", "a"))
            .by(Role.ORDER),
        Operation.of(Transition.ADMIT, OrderOperations::admit),
        Operation.of(Transition.ADMIT, "what stalled", OrderOperations::goOn),
        Operation.of(Transition.ACK, "of a head, with another in line", ack(2)),
        Operation.more(Transition.ACK, "of a head with nobody behind it", ack(1)),
        Operation.more(Transition.ACK, "of two heads that share a COMMIT", OrderOperations::ackTwo),
        Operation.more(
            Transition.DEAD_LETTER, "of a head that is stepped over", OrderOperations::setAside),
        Operation.more(
            Transition.REDRIVE, "with an ordering key", onDead((dead, id) -> dead.redrive(id))),
        Operation.more(
            Transition.DISCARD,
            "with an ordering key",
            onDead((dead, id) -> dead.discardAll(List.of(id)) == 1)),
        Operation.more(Transition.CANCEL, "in line", OrderOperations::cancel),
        Operation.of(Transition.ORDER, OrderOperations::order),
        Operation.of(Transition.SWEEP_LINES, OrderOperations::sweep),
        Operation.of(Transition.PRUNE_LINES, OrderOperations::prune));
  }

  private static Setup enqueue(boolean known, String... keys) {
    return (fixture, core) -> {
      if (known) {
        fixture.sql(
            "INSERT INTO queue_order_key VALUES ("
                + LINE.formatted("a")
                + ", 1, UTC_TIMESTAMP(6))");
      }
      List<NewMessage> messages = new ArrayList<>();
      for (String key : keys) {
        messages.add(NewMessage.of(TOPIC, messages.size() + " of " + key).withOrderingKey(key));
      }
      return () ->
          fixture.payloads(
              MessageProducer.create()
                  .ringing(Ring.SILENT)
                  .enqueueAll(core.connections(), messages));
    };
  }

  /** Messages 1 and on of the same line, as their producer left them. */
  private static void line(Fixture fixture, int count) {
    fixture.messages(
        count,
        "ordering_key = 'a', state = IF(id = 1, 4, 3), due_at = IF(id = 1,"
            + " TIMESTAMP'1970-01-01 00:00:00', due_at)");
    fixture.sql(
        "INSERT INTO queue_order SELECT " + LINE.formatted("a") + ", id FROM queue_message");
  }

  private static void head(Fixture fixture, String key, String message, int stalled) {
    fixture.sql(
        "INSERT INTO queue_order_head (order_id, topic, ordering_key, message_id, stalled, version,"
            + " updated_at) VALUES (%s, 'play', '%s', %s, %d, 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)"
                .formatted(LINE.formatted(key), key, message, stalled));
  }

  private static Act admit(Fixture fixture, Core core) {
    line(fixture, 3);
    return () -> core.get(Admission.class).admitNow();
  }

  private static Act goOn(Fixture fixture, Core core) {
    line(fixture, 2);
    fixture.sql("UPDATE queue_message SET state = 3");
    head(fixture, "a", "NULL", 1);
    return () -> core.get(Admission.class).admitNow();
  }

  /** The first is a worker's, the others wait. */
  private static Claim claimed(Fixture fixture, int count) {
    line(fixture, count);
    fixture.sql(
        "UPDATE queue_message SET state = 0 WHERE id = 1",
        "DELETE FROM queue_order WHERE message_id = 1");
    head(fixture, "a", "1", 0);
    return fixture.claims().get(0);
  }

  private static Setup ack(int count) {
    return (fixture, core) -> {
      Claim head = claimed(fixture, count);
      return Act.ack(core, head);
    };
  }

  private static Act ackTwo(Fixture fixture, Core core) {
    fixture.messages(4, "ordering_key = IF(id % 2 = 1, 'a', 'b'), state = IF(id < 3, 0, 3)");
    fixture.sql(
        "INSERT INTO queue_order SELECT IF(id = 3, %s, %s), id FROM queue_message WHERE id > 2"
            .formatted(LINE.formatted("a"), LINE.formatted("b")));
    head(fixture, "a", "1", 0);
    head(fixture, "b", "2", 0);
    List<Claim> heads = fixture.claims();
    return () -> core.get(Settler.class).ackAll(heads);
  }

  private static Act setAside(Fixture fixture, Core core) {
    fixture.sql("INSERT INTO queue_topic (topic, set_aside) VALUES ('play', 1)");
    Claim head = claimed(fixture, 2);
    return () ->
        core.get(Settler.class).deadLetter(head, DeadLetterReason.PERMANENT_FAILURE, ERROR);
  }

  private static MessageId dead(Fixture fixture) {
    Claim head = claimed(fixture, 2);
    fixture.deadLetter(head);
    return head.id();
  }

  private static Setup onDead(BiFunction<DeadLetters, MessageId, Boolean> action) {
    return (fixture, core) -> {
      MessageId dead = dead(fixture);
      return () -> action.apply(core.get(DeadLetters.class), dead);
    };
  }

  private static Act cancel(Fixture fixture, Core core) {
    line(fixture, 2);
    return Act.done(() -> core.get(Messages.class).cancel(new MessageId(1)));
  }

  private static Act order(Fixture fixture, Core core) {
    dead(fixture);
    return Act.done(() -> core.get(Topics.class).afterDeadLetter(TOPIC, AfterDeadLetter.SET_ASIDE));
  }

  private static Act sweep(Fixture fixture, Core core) {
    head(fixture, "a", "7", 0);
    return () -> core.get(LineSweep.class).sweep(10);
  }

  private static Act prune(Fixture fixture, Core core) {
    head(fixture, "a", "NULL", 0);
    fixture.sql(
        "INSERT INTO queue_order_key VALUES ("
            + LINE.formatted("a")
            + ", 1, UTC_TIMESTAMP(6) - INTERVAL 2 DAY)");
    return () -> core.get(LineSweep.class).prune(10);
  }
}
