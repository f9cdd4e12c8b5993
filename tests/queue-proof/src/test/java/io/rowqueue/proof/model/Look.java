package io.rowqueue.proof.model;

import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.Survey;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Place;
import io.rowqueue.reap.Reaper;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Workers and operators look, and change nothing. */
final class Look implements Action {

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) {
    world.say("workers and operators look round");
    world.answered("the survey", survey(world), expectedSurvey(world));
    Reaper reaper = world.protocol.get(Reaper.class);
    world.answered(
        "somebody is gone", reaper.hasSomeoneGone(Duration.ZERO), isSomeoneGone(world.model));
    world.answered("there are orphans", reaper.hasOrphans(), hasOrphans(world.model));
    if (!world.ids.isEmpty()) {
      long id = choices.of(world.ids);
      Place place = world.protocol.get(Messages.class).find(new MessageId(id)).place();
      world.answered("where " + world.name(id) + " is", place, place(world.model, id));
    }
  }

  private static Survey survey(World world) {
    return world.protocol.get(ClaimStore.class).survey(World.TOPICS, List.of());
  }

  private static Survey expectedSurvey(World world) {
    Set<Topic> available =
        World.TOPICS.stream()
            .filter(topic -> world.model.hasAvailable(topic.name()))
            .collect(Collectors.toSet());
    return new Survey(available, !world.model.due().isEmpty());
  }

  private static boolean isSomeoneGone(Model model) {
    return model.workers.values().stream()
        .anyMatch(row -> !row.alive() || row.leaseUntil() < model.now());
  }

  /** Claims of which no row of a worker tells, alive or dead. */
  private static boolean hasOrphans(Model model) {
    return model.messages.values().stream()
        .anyMatch(row -> row.isClaimed() && !model.workers.containsKey(row.lockId));
  }

  private static Place place(Model model, long id) {
    MessageRow row = model.messages.get(id);
    if (row != null) {
      return row.isAvailable()
          ? Place.AVAILABLE
          : row.isClaimed() ? Place.IN_FLIGHT : Place.SCHEDULED;
    }
    if (model.deadLetters.containsKey(id)) {
      return Place.DEAD_LETTER;
    }
    return model.wishes.archive.stream().anyMatch(copy -> copy.id() == id)
        ? Place.ARCHIVED
        : Place.UNKNOWN;
  }
}
