package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.QueueOperations.TWO_STATEMENTS;
import static io.rowqueue.proof.operation.QueueOperations.newMessages;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.proof.operation.Operation.Setup;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.worker.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How schedules fire, and who changes them. */
final class ScheduleOperations {

  private static final String NAME = "play";

  /** The header of a firing has this time, whenever it is played. */
  private static final String DUE = "'2020-01-01 00:00:00'";

  private static final String IN_A_HUNDRED_YEARS = "3155760000000000";

  private ScheduleOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.TRIGGER_SCHEDULE, trigger()),
        Operation.of(
            Transition.TRIGGER_SCHEDULE,
            "every one that was missed",
            trigger("UPDATE queue_schedule SET misfire = 2")),
        Operation.of(
            Transition.TRIGGER_SCHEDULE,
            "nothing, too late",
            trigger("UPDATE queue_schedule SET misfire = 0")),
        Operation.of(
            Transition.TRIGGER_SCHEDULE,
            "a row by SQL, for the first time",
            trigger("UPDATE queue_schedule SET next_at = '1970-01-01 00:00:00'")),
        Operation.of(
            Transition.TRIGGER_SCHEDULE,
            "two schedules",
            trigger(
                "INSERT INTO queue_schedule (name, topic, every_micros, next_at, payload) VALUES"
                    + " ('other', 'play', "
                    + IN_A_HUNDRED_YEARS
                    + ", "
                    + DUE
                    + ", 'q')")),
        Operation.of(Transition.SCHEDULE_SET, (fixture, core) -> () -> set(core)),
        Operation.of(
            Transition.SCHEDULE_SET,
            "one that is there",
            (fixture, core) -> {
              row(fixture);
              return () -> set(core);
            }),
        Operation.of(Transition.SCHEDULE_SET, "an override", change(ScheduleOperations::override)),
        Operation.of(
            Transition.SCHEDULE_SET,
            "declared, and overridden",
            change(
                schedules -> schedules.declare(schedule()),
                "UPDATE queue_schedule SET overridden = 1")),
        Operation.of(
                Transition.SCHEDULE_SET,
                "declared",
                (fixture, core) -> () -> core.get(Schedules.class).declare(schedule()))
            .by(Role.WORKER, Role.CONFIGURATOR),
        Operation.of(
            Transition.SCHEDULE_SET,
            "kept in the code",
            change(schedules -> schedules.keepDeclared(NAME))),
        Operation.of(
            Transition.SCHEDULE_SET,
            "reset",
            change(schedules -> schedules.reset(NAME), "UPDATE queue_schedule SET overridden = 1")),
        Operation.of(Transition.SCHEDULE_PAUSE, change(schedules -> schedules.pause(NAME))),
        Operation.of(
            Transition.SCHEDULE_RESUME,
            change(schedules -> schedules.resume(NAME), "UPDATE queue_schedule SET paused = 1")),
        Operation.of(Transition.SCHEDULE_REMOVE, change(schedules -> schedules.remove(NAME))),
        Operation.of(Transition.SCHEDULE_RUN, change(schedules -> schedules.runNow(NAME))));
  }

  private static Schedule schedule() {
    return Schedule.every(NAME, Duration.ofHours(1))
        .enqueues(NewMessage.of(TOPIC, "p").withHeader("a", "b"));
  }

  private static Object set(Core core) {
    core.get(Schedules.class).set(schedule());
    return "done";
  }

  private static Object override(Schedules schedules) {
    schedules.override(schedule());
    return "done";
  }

  private static Setup trigger(String... changes) {
    return (fixture, core) -> {
      row(fixture);
      fixture.sql(changes);
      return () -> core.get(ScheduleTrigger.class).triggerDue();
    };
  }

  private static Setup change(Function<Schedules, Object> action, String... changes) {
    return (fixture, core) -> {
      row(fixture);
      fixture.sql(changes);
      return () -> action.apply(core.get(Schedules.class));
    };
  }

  private static void row(Fixture fixture) {
    fixture.sql(
        "INSERT INTO queue_schedule (name, topic, every_micros, next_at, payload) VALUES ('"
            + NAME
            + "', '"
            + TOPIC
            + "', "
            + IN_A_HUNDRED_YEARS
            + ", "
            + DUE
            + ", 'p')");
  }

  /** How messages are published, and how their subscriptions change. */
  static final class FanOutOperations {

    private static final String OTHER = "other";

    private FanOutOperations() {}

    static List<Operation> all() {
      return List.of(
          Operation.of(Transition.PUBLISH, publish(newMessages(1))),
          Operation.of(
              Transition.PUBLISH,
              "more than one statement takes",
              publish(newMessages(TWO_STATEMENTS))),
          Operation.of(
              Transition.PUBLISH,
              "under two sources",
              publish(List.of(NewMessage.of(OTHER, "p"), NewMessage.of(TOPIC, "p")))),
          Operation.of(
              Transition.SUBSCRIBE,
              change(subscriptions -> subscribe(subscriptions, TOPIC.name(), "new"))),
          Operation.of(
              Transition.SUBSCRIBE,
              "to a source that is new",
              change(subscriptions -> subscribe(subscriptions, "fresh", "new"))),
          Operation.of(
              Transition.SUBSCRIBE,
              "one that is there",
              change(subscriptions -> subscribe(subscriptions, TOPIC.name(), "a"))),
          Operation.of(
                  Transition.SUBSCRIBE,
                  "declared, and missing",
                  change(
                      subscriptions ->
                          subscriptions.declare(
                              List.of(
                                  Subscription.of(TOPIC.name(), "a"),
                                  Subscription.of(TOPIC.name(), "new")))))
              .by(Role.WORKER, Role.CONFIGURATOR),
          Operation.of(
              Transition.UNSUBSCRIBE,
              change(subscriptions -> subscriptions.unsubscribe(TOPIC.name(), "a"))),
          Operation.of(
              Transition.MUTE, change(subscriptions -> subscriptions.pause(TOPIC.name(), "a"))),
          Operation.of(
              Transition.UNMUTE,
              change(subscriptions -> subscriptions.resume(TOPIC.name(), "muted"))));
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
              .notifying(WorkerNotifier.SILENT)
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
          "INSERT INTO queue_publication_lock VALUES ('play', 1), ('other', 1)",
          "INSERT INTO queue_subscription VALUES ('play', 'a', 0), ('play', 'b', 0),"
              + " ('play', 'muted', 1), ('other', 'a', 0)");
    }
  }
}
