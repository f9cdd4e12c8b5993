package io.rowqueue.testkit.internal.memory;

import io.rowqueue.DepthSample;
import io.rowqueue.Topic;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.operate.KeyLimits;
import io.rowqueue.operate.OrderingKeyDetails;
import io.rowqueue.operate.TopicLimits;
import io.rowqueue.operate.TopicSetting;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.internal.memory.Memory.MemoryWorker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Operators' settings of topics, without archives. */
final class MemoryTopics implements Topics {

  private static final int MOST_AT_ONCE = 1_000;
  private static final int MOST_PER_SECOND = 1_000_000;
  private static final Duration LONGEST_AGE = Duration.ofDays(3_653);

  private final Memory memory;

  MemoryTopics(Memory memory) {
    this.memory = memory;
  }

  @Override
  public void onDeadLetter(Topic topic, DeadLetterPolicy then) {
    synchronized (memory) {
      memory.limits.set(topic, unchanged -> unchanged);
      if (then == DeadLetterPolicy.BLOCK) {
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
    synchronized (memory) {
      return memory.limits.all().entrySet().stream()
          .map(each -> setting(each.getKey(), each.getValue()))
          .toList();
    }
  }

  private TopicSetting setting(Topic topic, MemoryLimits.OfTopic of) {
    DepthSample verdict = of.depth().isNone() ? null : memory.depths.of(topic);
    return new TopicSetting(
        topic.name(),
        memory.paused.contains(topic),
        null,
        of.limits(),
        of.keys(),
        of.depth(),
        verdict != null && verdict.full(),
        memory.steppingOver.contains(topic) ? DeadLetterPolicy.SKIP : DeadLetterPolicy.BLOCK);
  }

  @Override
  public Set<String> known() {
    synchronized (memory) {
      return Stream.of(
              memory.rows.values().stream().map(row -> row.topic),
              memory.dead.values().stream().map(dead -> dead.letter().topic()),
              memory.limits.all().keySet().stream(),
              memory.workers.values().stream()
                  .filter(MemoryWorker::alive)
                  .flatMap(worker -> worker.topics().stream()))
          .flatMap(topics -> topics)
          .map(Topic::name)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Override
  public List<OrderingKeyDetails> lines(Topic topic, boolean held, int limit) {
    throw memory.lacks("lists no ordering keys");
  }

  @Override
  public void pause(Topic topic) {
    synchronized (memory) {
      memory.limits.set(topic, unchanged -> unchanged);
      memory.paused.add(topic);
    }
  }

  @Override
  public void resume(Topic topic) {
    synchronized (memory) {
      memory.limits.set(topic, unchanged -> unchanged);
      memory.paused.remove(topic);
    }
  }

  @Override
  public void retain(Topic topic, int days) {
    throw archives();
  }

  @Override
  public void noRetention(Topic topic) {
    throw archives();
  }

  private UnsupportedOperationException archives() {
    return memory.lacks("has no archive");
  }

  @Override
  public void limitInFlight(Topic topic, int most) {
    setInFlight(topic, within(most, MOST_AT_ONCE, "handlings at once"));
  }

  @Override
  public void limitInFlightNone(Topic topic) {
    setInFlight(topic, null);
  }

  private void setInFlight(Topic topic, @Nullable Integer most) {
    set(topic, of -> of.with(new TopicLimits(most, of.limits().perSecond())));
  }

  @Override
  public void limitPerSecond(Topic topic, int most) {
    setPerSecond(topic, within(most, MOST_PER_SECOND, "messages a second"));
  }

  @Override
  public void limitPerSecondNone(Topic topic) {
    setPerSecond(topic, null);
  }

  private void setPerSecond(Topic topic, @Nullable Integer most) {
    set(topic, of -> of.with(new TopicLimits(of.limits().inFlight(), most)));
  }

  @Override
  public void limitKeyInFlight(Topic topic, int most) {
    setKeyInFlight(topic, within(most, MOST_AT_ONCE, "messages of a key at once"));
  }

  @Override
  public void limitKeyInFlightNone(Topic topic) {
    setKeyInFlight(topic, null);
  }

  private void setKeyInFlight(Topic topic, @Nullable Integer most) {
    set(topic, of -> of.with(new KeyLimits(most, of.keys().perSecond())));
  }

  @Override
  public void limitKeyPerSecond(Topic topic, int most) {
    setKeyPerSecond(topic, within(most, MOST_PER_SECOND, "messages of a key a second"));
  }

  @Override
  public void limitKeyPerSecondNone(Topic topic) {
    setKeyPerSecond(topic, null);
  }

  private void setKeyPerSecond(Topic topic, @Nullable Integer most) {
    set(topic, of -> of.with(new KeyLimits(of.keys().inFlight(), most)));
  }

  @Override
  public void limitDepth(Topic topic, long most) {
    if (most < 1) {
      throw new IllegalArgumentException("at least 1 message may wait, not " + most);
    }
    set(topic, of -> of.with(new DepthLimit(most, of.depth().age())));
  }

  @Override
  public void limitDepthNone(Topic topic) {
    set(topic, of -> of.with(new DepthLimit(null, of.depth().age())));
  }

  @Override
  public void limitAge(Topic topic, Duration longest) {
    if (longest.toSeconds() < 1 || longest.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "the oldest may wait for 1 second to ten years, not " + longest);
    }
    Duration age = Duration.ofSeconds(longest.toSeconds());
    set(topic, of -> of.with(new DepthLimit(of.depth().depth(), age)));
  }

  @Override
  public void limitAgeNone(Topic topic) {
    set(topic, of -> of.with(new DepthLimit(of.depth().depth(), null)));
  }

  private static int within(int value, int most, String what) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "a topic may have 1 to %,d %s, not %d".formatted(most, what, value));
    }
    return value;
  }

  private void set(Topic topic, UnaryOperator<MemoryLimits.OfTopic> change) {
    synchronized (memory) {
      memory.limits.set(topic, change);
    }
  }
}
