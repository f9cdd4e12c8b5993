package io.rowqueue.proof.model;

import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import java.util.function.UnaryOperator;

/** An operator pauses or resumes a topic, or has copies of its messages kept, or no longer. */
final class SetTopic implements Action {

  private enum Wish {
    KEEP,
    KEEP_NONE,
    PAUSE,
    RESUME;

    @Override
    public String toString() {
      return Words.of(this);
    }
  }

  private static final int DAYS = 1;

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) {
    Topic topic = choices.of(World.TOPICS);
    Wish wish = choices.of(Wish.KEEP, Wish.KEEP_NONE, Wish.PAUSE, Wish.RESUME, Wish.RESUME);
    world.say("an operator sets '%s': %s".formatted(topic, wish));
    Topics topics = world.protocol.get(Topics.class);
    switch (wish) {
      case KEEP -> topics.keep(topic, DAYS);
      case KEEP_NONE -> topics.keepNone(topic);
      case PAUSE -> topics.pause(topic);
      case RESUME -> topics.resume(topic);
    }
    world.model.wishes.set(topic.name(), inModel(wish));
  }

  private static UnaryOperator<TopicRow> inModel(Wish wish) {
    return row ->
        switch (wish) {
          case KEEP -> new TopicRow(row.paused(), DAYS);
          case KEEP_NONE -> new TopicRow(row.paused(), null);
          case PAUSE -> new TopicRow(true, row.keepDays());
          case RESUME -> new TopicRow(false, row.keepDays());
        };
  }
}
