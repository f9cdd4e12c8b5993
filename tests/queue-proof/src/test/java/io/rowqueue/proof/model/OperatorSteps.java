package io.rowqueue.proof.model;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.PollResult;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import io.rowqueue.proof.model.Rows.MessageRow;
import io.rowqueue.proof.model.Rows.TopicRow;
import io.rowqueue.proof.model.Scenario.Choices;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What operators do and read, and the clock. */
final class OperatorSteps {

  private static final Duration LATER = Duration.ofSeconds(6);
  private static final int URGENT = -3;
  private static final int DAYS = 1;
  private static final int AT_ONCE = 2;

  private OperatorSteps() {}

  /** The server's clock moves on, under open transactions too. */
  static void time(World world, Choices choices) throws Exception {
    int lease = (int) Model.LEASE.toSeconds() + 1;
    int seconds = choices.of(1, 1, 4, 4, 4, lease, lease, 86_400);
    world.say("%d s pass".formatted(seconds));
    world.model.pass(Duration.ofSeconds(seconds));
    world.protocol.connections().setClock(world.model.now());
  }

  /** An operator redrives dead letters, or deletes them for good; some ids may be none. */
  static void redrive(World world, Choices choices) {
    boolean redrives = !choices.oneIn(3);
    List<Long> dead = List.copyOf(world.model.deadLetters.keySet());
    long any = choices.of(world.idsInReach());
    List<Long> ids = dead.isEmpty() ? List.of(any) : List.of(choices.of(dead), any);
    world.say(
        "an operator %s %s"
            .formatted(
                redrives ? "redrives" : "deletes the dead letters",
                ids.stream().map(world::name).toList()));
    DeadLetters deadLetters = world.protocol.get(DeadLetters.class);
    List<MessageId> messageIds = ids.stream().map(MessageId::new).toList();
    int done = redrives ? deadLetters.redriveAll(messageIds) : deadLetters.discardAll(messageIds);
    long expected =
        ids.stream()
            .distinct()
            .filter(id -> redrives ? world.model.redrive(id) : world.model.discard(id))
            .count();
    world.answered("dead letters", (long) done, expected);
    if (done > 0) {
      world.happened(redrives ? "a dead letter is redriven" : "a dead letter is deleted");
    }
  }

  private enum Change {
    CANCEL,
    MAKE_DUE_NOW,
    MAKE_DUE_IN_6_S,
    PRIORITIZE;

    void really(Messages messages, MessageId id) {
      switch (this) {
        case CANCEL -> messages.cancel(id);
        case MAKE_DUE_NOW -> messages.reschedule(id, Duration.ZERO);
        case MAKE_DUE_IN_6_S -> messages.reschedule(id, LATER);
        case PRIORITIZE -> messages.prioritize(id, URGENT);
      }
    }

    void inModel(Model model, long id) {
      switch (this) {
        case CANCEL -> model.cancel(id);
        case MAKE_DUE_NOW -> model.reschedule(id, model.now());
        case MAKE_DUE_IN_6_S -> model.reschedule(id, model.after(LATER));
        case PRIORITIZE -> model.message(id).priority = URGENT;
      }
    }

    @Override
    public String toString() {
      return Step.words(this);
    }
  }

  /** An operator cancels, reschedules or prioritizes a message, which may be in flight or gone. */
  static void change(World world, Choices choices) {
    long id = choices.of(world.idsInReach());
    Change change = choices.of(Change.values());
    world.say("an operator changes %s: %s".formatted(world.name(id), change));
    boolean done =
        unlessRefused(() -> change.really(world.protocol.get(Messages.class), new MessageId(id)));
    boolean expected = world.model.isUnclaimed(id);
    if (expected) {
      change.inModel(world.model, id);
    }
    world.answered(change + " was done", done, expected);
    world.happened(change + (done ? " is done" : " is refused"));
  }

  private static boolean unlessRefused(Runnable action) {
    try {
      action.run();
      return true;
    } catch (RefusedException e) {
      return false;
    }
  }

  private enum Setting {
    KEEP,
    KEEP_NONE,
    PAUSE,
    RESUME,
    LIMIT,
    LIMIT_NONE;

    void really(Topics topics, Topic topic) {
      switch (this) {
        case KEEP -> topics.change(topic, set -> set.withRetentionDays(DAYS));
        case KEEP_NONE -> topics.change(topic, set -> set.withRetentionDays(null));
        case PAUSE -> topics.pause(topic);
        case RESUME -> topics.resume(topic);
        case LIMIT -> topics.change(topic, set -> set.withMaxInFlight(AT_ONCE));
        case LIMIT_NONE -> topics.change(topic, set -> set.withMaxInFlight(null));
      }
    }

    TopicRow inModel(TopicRow row) {
      return switch (this) {
        case KEEP -> new TopicRow(row.paused(), DAYS, row.inFlight());
        case KEEP_NONE -> new TopicRow(row.paused(), null, row.inFlight());
        case PAUSE -> new TopicRow(true, row.retentionDays(), row.inFlight());
        case RESUME -> new TopicRow(false, row.retentionDays(), row.inFlight());
        case LIMIT -> new TopicRow(row.paused(), row.retentionDays(), AT_ONCE);
        case LIMIT_NONE -> new TopicRow(row.paused(), row.retentionDays(), null);
      };
    }
  }

  /** An operator pauses, resumes or limits a topic, or has copies of its messages kept, or not. */
  static void setTopic(World world, Choices choices) {
    Topic topic = choices.of(World.TOPICS);
    Setting setting =
        choices.of(
            Setting.KEEP,
            Setting.KEEP_NONE,
            Setting.PAUSE,
            Setting.RESUME,
            Setting.RESUME,
            Setting.LIMIT,
            Setting.LIMIT_NONE);
    world.say("an operator sets '%s': %s".formatted(topic, Step.words(setting)));
    setting.really(world.protocol.get(Topics.class), topic);
    world.model.settings.set(topic.name(), setting::inModel);
  }

  /** An operator asks a worker to drain, which may be dead by its row. */
  static void drain(World world, Choices choices) {
    String lockId = choices.of(List.copyOf(world.model.workers.keySet()));
    world.say("an operator asks %s to drain".formatted(lockId));
    boolean requested = unlessRefused(() -> world.protocol.get(Workers.class).drain(lockId));
    world.answered("asked to drain", requested, world.model.drain(lockId));
  }

  /** Workers and operators read, and change nothing. */
  static void read(World world, Choices choices) {
    world.say("workers and operators look round");
    Model model = world.model;
    Set<Topic> available =
        World.TOPICS.stream()
            .filter(topic -> model.hasAvailable(topic.name()))
            .collect(Collectors.toSet());
    world.answered(
        "the survey",
        world.protocol.get(ClaimStore.class).poll(World.TOPICS, List.of()),
        new PollResult(available, !model.due().isEmpty()));
    Reaper reaper = world.protocol.get(Reaper.class);
    boolean gone =
        model.workers.values().stream()
            .anyMatch(row -> !row.alive() || row.leaseUntil() < model.now());
    world.answered("somebody is gone", reaper.hasSomeoneGone(Duration.ZERO), gone);
    // Claims of which no row of a worker tells, alive or dead.
    boolean orphans =
        model.messages.values().stream()
            .anyMatch(row -> row.isClaimed() && !model.workers.containsKey(row.lockId));
    world.answered("there are orphans", reaper.hasOrphans(), orphans);
    if (!world.ids.isEmpty()) {
      long id = choices.of(world.ids);
      MessageLocation place = world.protocol.get(Messages.class).find(new MessageId(id)).place();
      world.answered("where " + world.name(id) + " is", place, place(model, id));
    }
  }

  private static MessageLocation place(Model model, long id) {
    MessageRow row = model.messages.get(id);
    if (row != null) {
      return row.isAvailable()
          ? MessageLocation.AVAILABLE
          : row.isClaimed() ? MessageLocation.IN_FLIGHT : MessageLocation.SCHEDULED;
    }
    if (model.deadLetters.containsKey(id)) {
      return MessageLocation.DEAD_LETTER;
    }
    return model.settings.archive.stream().anyMatch(copy -> copy.id() == id)
        ? MessageLocation.ARCHIVED
        : MessageLocation.UNKNOWN;
  }
}
