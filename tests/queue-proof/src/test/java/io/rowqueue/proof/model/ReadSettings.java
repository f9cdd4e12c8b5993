package io.rowqueue.proof.model;

import io.rowqueue.message.Topic;
import io.rowqueue.operate.TopicSettings;

/** The process reads what operators want of its topics; until then it heeds what it read before. */
final class ReadSettings implements Action {

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) {
    world.say("the process reads the topics' settings");
    TopicSettings settings = world.protocol.get(TopicSettings.class);
    settings.refresh(null);
    world.model.wishes.read();
    for (Topic topic : World.TOPICS) {
      world.answered(
          "paused", settings.isPaused(topic), world.model.wishes.isPausedAsRead(topic.name()));
      world.answered(
          "limited",
          settings.limits(topic).inFlight(),
          world.model.wishes.limitAsRead(topic.name()));
      world.answered("kept", settings.isKept(topic), world.model.wishes.isKeptAsRead(topic.name()));
    }
  }
}
