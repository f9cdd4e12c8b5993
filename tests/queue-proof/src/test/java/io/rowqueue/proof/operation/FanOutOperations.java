package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.QueueOperations.TWO_STATEMENTS;
import static io.rowqueue.proof.operation.QueueOperations.newMessages;

import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.subscribe.Subscription;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.grant.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How messages are published, and how their subscriptions change. */
final class FanOutOperations {

  private static final String OTHER = "other";

  private FanOutOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.PUBLISH, publish(newMessages(1))),
        Operation.more(
            Transition.PUBLISH,
            "more than one statement takes",
            publish(newMessages(TWO_STATEMENTS))),
        Operation.more(
            Transition.PUBLISH,
            "under two sources",
            publish(List.of(NewMessage.of(OTHER, "p"), NewMessage.of(TOPIC, "p")))),
        Operation.of(
            Transition.SUBSCRIBE,
            change(subscriptions -> subscribe(subscriptions, TOPIC.name(), "new"))),
        Operation.more(
            Transition.SUBSCRIBE,
            "to a source that is new",
            change(subscriptions -> subscribe(subscriptions, "fresh", "new"))),
        Operation.more(
            Transition.SUBSCRIBE,
            "one that is there",
            change(subscriptions -> subscribe(subscriptions, TOPIC.name(), "a"))),
        Operation.more(
                Transition.SUBSCRIBE,
                "declared, and missing",
                change(
                    subscriptions ->
                        subscriptions.declare(
                            List.of(
                                Subscription.of(TOPIC.name(), "a"),
                                Subscription.of(TOPIC.name(), "new")))))
            .by(Role.WORKER, Role.SUBSCRIBE),
        Operation.of(
            Transition.UNSUBSCRIBE,
            change(subscriptions -> subscriptions.unsubscribe(TOPIC.name(), "a"))),
        Operation.of(
            Transition.MUTE, change(subscriptions -> subscriptions.mute(TOPIC.name(), "a"))),
        Operation.of(
            Transition.UNMUTE,
            change(subscriptions -> subscriptions.unmute(TOPIC.name(), "muted"))));
  }

  private static Object subscribe(Subscriptions subscriptions, String source, String topic) {
    subscriptions.subscribe(source, topic);
    return "done";
  }

  /** Its look for listeners after the COMMIT would be no part of the transition. */
  private static Setup publish(List<NewMessage> messages) {
    return (fixture, core) -> {
      rows(fixture);
      return () -> {
        List<MessageId> copies = new ArrayList<>();
        MessageProducer.create()
            .ringing(Ring.SILENT)
            .publishAll(core.connections(), messages)
            .all()
            .forEach(each -> copies.addAll(each.copies().values()));
        return fixture.payloads(copies);
      };
    };
  }

  private static Setup change(Function<Subscriptions, Object> action) {
    return (fixture, core) -> {
      rows(fixture);
      return () -> action.apply(core.get(Subscriptions.class));
    };
  }

  private static void rows(Fixture fixture) {
    fixture.sql(
        "INSERT INTO queue_source VALUES ('play', 1), ('other', 1)",
        "INSERT INTO queue_subscription VALUES ('play', 'a', 0), ('play', 'b', 0),"
            + " ('play', 'muted', 1), ('other', 'a', 0)");
  }
}
