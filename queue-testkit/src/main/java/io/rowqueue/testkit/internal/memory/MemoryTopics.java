package io.rowqueue.testkit.internal.memory;

import io.rowqueue.DepthSample;
import io.rowqueue.Topic;
import io.rowqueue.internal.operate.TopicChange;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.OrderingKeyDetails;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.internal.memory.Memory.MemoryWorker;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Operators' settings of topics, without archives. */
final class MemoryTopics implements Topics {

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
            .forEach(row -> row.isFirst = false);
      }
    }
  }

  @Override
  public List<TopicInfo> list() {
    synchronized (memory) {
      return memory.limits.all().entrySet().stream()
          .map(each -> info(each.getKey(), each.getValue().settings()))
          .toList();
    }
  }

  private TopicInfo info(Topic topic, TopicSettings settings) {
    DepthSample sample = settings.depthLimit().isNone() ? null : memory.depths.of(topic);
    return new TopicInfo(
        topic.name(),
        memory.paused.contains(topic),
        settings,
        sample != null && sample.full(),
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
  public List<OrderingKeyDetails> orderingKeys(Topic topic, boolean held, int limit) {
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
  public TopicSettings settings(Topic topic) {
    synchronized (memory) {
      return memory.limits.of(topic).settings();
    }
  }

  @Override
  public void change(Topic topic, UnaryOperator<TopicSettings> change) {
    synchronized (memory) {
      TopicSettings changed = TopicChange.apply(settings(topic), change);
      if (changed.retentionDays() != null) {
        throw memory.lacks("has no archive");
      }
      memory.limits.set(topic, of -> of.with(changed));
    }
  }
}
