package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.Scenery.TOPIC;
import static io.rowqueue.proof.statement.Scenery.WORKER;

import io.rowqueue.archive.Archive;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.message.MessageId;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import io.rowqueue.proof.statement.Play.Scene;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** What operators do, and the upkeep of the archive. */
final class OperatorPlays {

  private static final MessageId FIRST = new MessageId(1);

  private OperatorPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(Transition.REDRIVE, redrive(1)),
        Play.more(Transition.REDRIVE, "three", redrive(3)),
        Play.of(Transition.DISCARD, discard(1)),
        Play.more(Transition.DISCARD, "three", discard(3)),
        Play.of(
            Transition.RESCHEDULE,
            onMessage(messages -> messages.reschedule(FIRST, Duration.ofMinutes(5)))),
        Play.of(Transition.PRIORITIZE, onMessage(messages -> messages.prioritize(FIRST, 3))),
        Play.of(Transition.CANCEL, onMessage(messages -> messages.cancel(FIRST))),
        Play.of(Transition.PAUSE, onTopic(topics -> topics.pause(TOPIC))),
        Play.of(Transition.RESUME, onTopic(topics -> topics.resume(TOPIC))),
        Play.of(Transition.KEEP, onTopic(topics -> topics.keep(TOPIC, 7))),
        Play.more(Transition.KEEP, "none", onTopic(topics -> topics.keepNone(TOPIC))),
        Play.of(Transition.LIMIT, onTopic(topics -> topics.limitInFlight(TOPIC, 20))),
        Play.more(Transition.LIMIT, "none", onTopic(topics -> topics.limitInFlightNone(TOPIC))),
        Play.more(
            Transition.LIMIT, "per second", onTopic(topics -> topics.limitPerSecond(TOPIC, 50))),
        Play.of(
            Transition.DRAIN,
            (scenery, core) -> {
              scenery.worker(true, 60);
              return () -> {
                core.get(Workers.class).drain(WORKER.value());
                return "done";
              };
            }),
        Play.of(Transition.PRUNE, prune(1)),
        Play.more(Transition.PRUNE, "two copies of each of two topics", prune(4)));
  }

  private static Scene redrive(int count) {
    return (scenery, core) -> {
      List<MessageId> ids = scenery.deadLetters(count);
      return () -> core.get(DeadLetters.class).redriveAll(ids);
    };
  }

  private static Scene discard(int count) {
    return (scenery, core) -> {
      List<MessageId> ids = scenery.deadLetters(count);
      return () -> core.get(DeadLetters.class).discardAll(ids);
    };
  }

  private static Scene onMessage(Consumer<Messages> action) {
    return (scenery, core) -> {
      scenery.messages(1);
      scenery.failedOnce();
      return () -> {
        action.accept(core.get(Messages.class));
        return "done";
      };
    };
  }

  /** Whose messages are paused and limited, with copies that are kept for a day. */
  private static Scene onTopic(Consumer<Topics> action) {
    return (scenery, core) -> {
      scenery.sql(
          "INSERT INTO queue_topic (topic, paused, keep_days, max_in_flight, updated_at) VALUES"
              + " ('play', 1, 1, 7, UTC_TIMESTAMP(6) - INTERVAL 1 DAY)");
      return () -> {
        action.accept(core.get(Topics.class));
        return "done";
      };
    };
  }

  private static Scene prune(int count) {
    return (scenery, core) -> {
      for (int id = 1; id <= count; id++) {
        scenery.copy(id, id % 2 == 1 ? "odd" : "even");
      }
      return () -> core.get(Archive.class).prune(500);
    };
  }
}
