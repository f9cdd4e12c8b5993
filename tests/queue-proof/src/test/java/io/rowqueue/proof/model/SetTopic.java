package io.rowqueue.proof.model;

import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import java.util.function.UnaryOperator;

/** An operator pauses, resumes or limits a topic, or has copies of its messages kept, or not. */
final class SetTopic implements Action {

  private enum Wish {
    KEEP,
    KEEP_NONE,
    PAUSE,
    RESUME,
    LIMIT,
    LIMIT_NONE;

    @Override
    public String toString() {
      return Words.of(this);
    }
  }

  private static final int DAYS = 1;
  private static final int AT_ONCE = 2;

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) {
    Topic topic = choices.of(World.TOPICS);
    Wish wish =
        choices.of(
            Wish.KEEP,
            Wish.KEEP_NONE,
            Wish.PAUSE,
            Wish.RESUME,
            Wish.RESUME,
            Wish.LIMIT,
            Wish.LIMIT_NONE);
    world.say("an operator sets '%s': %s".formatted(topic, wish));
    Topics topics = world.protocol.get(Topics.class);
    switch (wish) {
      case KEEP -> topics.keep(topic, DAYS);
      case KEEP_NONE -> topics.keepNone(topic);
      case PAUSE -> topics.pause(topic);
      case RESUME -> topics.resume(topic);
      case LIMIT -> topics.limitInFlight(topic, AT_ONCE);
      case LIMIT_NONE -> topics.limitInFlightNone(topic);
    }
    world.model.wishes.set(topic.name(), inModel(wish));
  }

  private static UnaryOperator<TopicRow> inModel(Wish wish) {
    return row ->
        switch (wish) {
          case KEEP -> new TopicRow(row.paused(), DAYS, row.inFlight());
          case KEEP_NONE -> new TopicRow(row.paused(), null, row.inFlight());
          case PAUSE -> new TopicRow(true, row.keepDays(), row.inFlight());
          case RESUME -> new TopicRow(false, row.keepDays(), row.inFlight());
          case LIMIT -> new TopicRow(row.paused(), row.keepDays(), AT_ONCE);
          case LIMIT_NONE -> new TopicRow(row.paused(), row.keepDays(), null);
        };
  }
}
