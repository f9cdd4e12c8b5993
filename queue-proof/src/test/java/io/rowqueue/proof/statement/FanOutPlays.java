package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.QueuePlays.TWO_STATEMENTS;
import static io.rowqueue.proof.statement.QueuePlays.newMessages;
import static io.rowqueue.proof.statement.Scenery.TOPIC;

import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.statement.Play.Scene;
import io.rowqueue.subscribe.Subscription;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.wakeup.Ring;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How messages are published, and how their subscriptions change. */
final class FanOutPlays {

  private static final String OTHER = "other";

  private FanOutPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(Transition.PUBLISH, publish(newMessages(1))),
        Play.more(
            Transition.PUBLISH,
            "more than one statement takes",
            publish(newMessages(TWO_STATEMENTS))),
        Play.more(
            Transition.PUBLISH,
            "under two sources",
            publish(List.of(NewMessage.of(OTHER, "p"), NewMessage.of(TOPIC, "p")))),
        Play.of(
            Transition.SUBSCRIBE,
            change(subscriptions -> subscribe(subscriptions, TOPIC.name(), "new"))),
        Play.more(
            Transition.SUBSCRIBE,
            "to a source that is new",
            change(subscriptions -> subscribe(subscriptions, "fresh", "new"))),
        Play.more(
            Transition.SUBSCRIBE,
            "one that is there",
            change(subscriptions -> subscribe(subscriptions, TOPIC.name(), "a"))),
        Play.more(
            Transition.SUBSCRIBE,
            "declared, and missing",
            change(
                subscriptions ->
                    subscriptions.declare(
                        List.of(
                            Subscription.of(TOPIC.name(), "a"),
                            Subscription.of(TOPIC.name(), "new"))))),
        Play.of(
            Transition.UNSUBSCRIBE,
            change(subscriptions -> subscriptions.unsubscribe(TOPIC.name(), "a"))),
        Play.of(Transition.MUTE, change(subscriptions -> subscriptions.mute(TOPIC.name(), "a"))),
        Play.of(
            Transition.UNMUTE,
            change(subscriptions -> subscriptions.unmute(TOPIC.name(), "muted"))));
  }

  private static Object subscribe(Subscriptions subscriptions, String source, String topic) {
    subscriptions.subscribe(source, topic);
    return "done";
  }

  /** Its look for listeners after the COMMIT would be no part of the transition. */
  private static Scene publish(List<NewMessage> messages) {
    return (scenery, core) -> {
      rows(scenery);
      return () -> {
        List<MessageId> copies = new ArrayList<>();
        MessageProducer.create()
            .ringing(Ring.SILENT)
            .publishAll(core.connections(), messages)
            .all()
            .forEach(each -> copies.addAll(each.copies().values()));
        return scenery.payloads(copies);
      };
    };
  }

  private static Scene change(Function<Subscriptions, Object> action) {
    return (scenery, core) -> {
      rows(scenery);
      return () -> action.apply(core.get(Subscriptions.class));
    };
  }

  private static void rows(Scenery scenery) {
    scenery.sql(
        "INSERT INTO queue_source VALUES ('play', 1), ('other', 1)",
        "INSERT INTO queue_subscription VALUES ('play', 'a', 0), ('play', 'b', 0),"
            + " ('play', 'muted', 1), ('other', 'a', 0)");
  }
}
