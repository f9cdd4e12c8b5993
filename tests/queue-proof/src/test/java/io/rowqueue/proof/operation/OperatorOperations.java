package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.Fixture.WORKER;

import io.rowqueue.archive.Archive;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.message.MessageId;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** What operators do, and the upkeep of the archive. */
final class OperatorOperations {

  private static final MessageId FIRST = new MessageId(1);

  private OperatorOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.REDRIVE, redrive(1)),
        Operation.more(Transition.REDRIVE, "three", redrive(3)),
        Operation.of(Transition.DISCARD, discard(1)),
        Operation.more(Transition.DISCARD, "three", discard(3)),
        Operation.of(
            Transition.RESCHEDULE,
            onMessage(messages -> messages.reschedule(FIRST, Duration.ofMinutes(5)))),
        Operation.of(Transition.PRIORITIZE, onMessage(messages -> messages.prioritize(FIRST, 3))),
        Operation.of(Transition.CANCEL, onMessage(messages -> messages.cancel(FIRST))),
        Operation.of(Transition.PAUSE, onTopic(topics -> topics.pause(TOPIC))),
        Operation.of(Transition.RESUME, onTopic(topics -> topics.resume(TOPIC))),
        Operation.of(Transition.KEEP, onTopic(topics -> topics.keep(TOPIC, 7))),
        Operation.more(Transition.KEEP, "none", onTopic(topics -> topics.keepNone(TOPIC))),
        Operation.of(Transition.LIMIT, onTopic(topics -> topics.limitInFlight(TOPIC, 20))),
        Operation.more(
            Transition.LIMIT, "none", onTopic(topics -> topics.limitInFlightNone(TOPIC))),
        Operation.more(
            Transition.LIMIT, "per second", onTopic(topics -> topics.limitPerSecond(TOPIC, 50))),
        Operation.of(
            Transition.DRAIN,
            (fixture, core) -> {
              fixture.worker(true, 60);
              return Act.done(() -> core.get(Workers.class).drain(WORKER.value()));
            }),
        Operation.of(Transition.PRUNE, prune(1)),
        Operation.more(Transition.PRUNE, "two copies of each of two topics", prune(4)));
  }

  private static Setup redrive(int count) {
    return (fixture, core) -> {
      List<MessageId> ids = fixture.deadLetters(count);
      return () -> core.get(DeadLetters.class).redriveAll(ids);
    };
  }

  private static Setup discard(int count) {
    return (fixture, core) -> {
      List<MessageId> ids = fixture.deadLetters(count);
      return () -> core.get(DeadLetters.class).discardAll(ids);
    };
  }

  private static Setup onMessage(Consumer<Messages> action) {
    return (fixture, core) -> {
      fixture.messages(1);
      fixture.failedOnce();
      return Act.done(() -> action.accept(core.get(Messages.class)));
    };
  }

  /** Whose messages are paused and limited, with copies that are kept for a day. */
  private static Setup onTopic(Consumer<Topics> action) {
    return (fixture, core) -> {
      fixture.sql(
          "INSERT INTO queue_topic (topic, paused, keep_days, max_in_flight, updated_at) VALUES"
              + " ('play', 1, 1, 7, UTC_TIMESTAMP(6) - INTERVAL 1 DAY)");
      return Act.done(() -> action.accept(core.get(Topics.class)));
    };
  }

  private static Setup prune(int count) {
    return (fixture, core) -> {
      for (int id = 1; id <= count; id++) {
        fixture.copy(id, id % 2 == 1 ? "odd" : "even");
      }
      return () -> core.get(Archive.class).prune(500);
    };
  }
}
