package io.rowqueue.proof.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What operators want of topics, as it stands and as the process knows it; and the archive. */
final class Wishes {

  final List<SettledRow> archive = new ArrayList<>();

  private final Map<String, TopicRow> topics = new TreeMap<>();
  private final Map<String, TopicRow> asRead = new HashMap<>();

  void set(String topic, UnaryOperator<TopicRow> change) {
    topics.put(topic, change.apply(topics.getOrDefault(topic, TopicRow.DEFAULTS)));
  }

  /** The process reads them; until then it heeds what it read before. */
  void read() {
    asRead.clear();
    asRead.putAll(topics);
  }

  boolean isKeptAsRead(String topic) {
    return asRead.getOrDefault(topic, TopicRow.DEFAULTS).keepDays() != null;
  }

  @Nullable Integer limitAsRead(String topic) {
    return asRead.getOrDefault(topic, TopicRow.DEFAULTS).inFlight();
  }

  boolean isPausedAsRead(String topic) {
    return asRead.getOrDefault(topic, TopicRow.DEFAULTS).paused();
  }

  /** Removes what is too old on {@code today}; how many. */
  int prune(long today) {
    int before = archive.size();
    archive.removeIf(copy -> Times.day(copy.dates().at()) < firstKeptDay(copy.topic(), today));
    return before - archive.size();
  }

  private long firstKeptDay(String topic, long today) {
    Integer days = topics.getOrDefault(topic, TopicRow.DEFAULTS).keepDays();
    return days == null ? today + 1 : today - days;
  }

  Stream<String> lines() {
    return topics.entrySet().stream().map(topic -> topic.getValue().line(topic.getKey()));
  }
}
