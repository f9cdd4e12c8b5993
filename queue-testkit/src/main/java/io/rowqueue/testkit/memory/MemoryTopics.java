package io.rowqueue.testkit.memory;

import io.rowqueue.message.Topic;
import io.rowqueue.operate.FoundLine;
import io.rowqueue.operate.TopicSetting;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.AfterDeadLetter;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** What topics do with their dead letters. The workers' share of it, limits first, is not here. */
final class MemoryTopics implements Topics {

  private final Memory memory;

  MemoryTopics(Memory memory) {
    this.memory = memory;
  }

  @Override
  public void afterDeadLetter(Topic topic, AfterDeadLetter then) {
    synchronized (memory) {
      if (then == AfterDeadLetter.HOLD) {
        memory.steppingOver.remove(topic);
      } else if (memory.steppingOver.add(topic)) {
        memory.dead.values().stream()
            .map(MemoryDead::row)
            .filter(row -> row.topic.equals(topic))
            .forEach(row -> row.head = false);
      }
    }
  }

  @Override
  public List<TopicSetting> list() {
    throw lists();
  }

  @Override
  public Set<String> known() {
    throw lists();
  }

  @Override
  public List<FoundLine> lines(Topic topic, boolean held, int limit) {
    throw lists();
  }

  private UnsupportedOperationException lists() {
    return memory.lacks("lists no topics and no lines");
  }

  @Override
  public void pause(Topic topic) {
    throw pauses();
  }

  @Override
  public void resume(Topic topic) {
    throw pauses();
  }

  private UnsupportedOperationException pauses() {
    return memory.lacks("has no pauses");
  }

  @Override
  public void keep(Topic topic, int days) {
    throw archives();
  }

  @Override
  public void keepNone(Topic topic) {
    throw archives();
  }

  private UnsupportedOperationException archives() {
    return memory.lacks("has no archive");
  }

  @Override
  public void limitInFlight(Topic topic, int most) {
    throw limits();
  }

  @Override
  public void limitInFlightNone(Topic topic) {
    throw limits();
  }

  @Override
  public void limitPerSecond(Topic topic, int most) {
    throw limits();
  }

  @Override
  public void limitPerSecondNone(Topic topic) {
    throw limits();
  }

  @Override
  public void limitKeyInFlight(Topic topic, int most) {
    throw limits();
  }

  @Override
  public void limitKeyInFlightNone(Topic topic) {
    throw limits();
  }

  @Override
  public void limitKeyPerSecond(Topic topic, int most) {
    throw limits();
  }

  @Override
  public void limitKeyPerSecondNone(Topic topic) {
    throw limits();
  }

  @Override
  public void limitDepth(Topic topic, long most) {
    throw limits();
  }

  @Override
  public void limitDepthNone(Topic topic) {
    throw limits();
  }

  @Override
  public void limitAge(Topic topic, Duration longest) {
    throw limits();
  }

  @Override
  public void limitAgeNone(Topic topic) {
    throw limits();
  }

  private UnsupportedOperationException limits() {
    return memory.lacks("has no limits");
  }
}
