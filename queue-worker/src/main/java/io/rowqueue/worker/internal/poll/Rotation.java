package io.rowqueue.worker.internal.poll;

import io.rowqueue.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Divides the capacity of each iteration among the topics by weight. A share that was too small to
 * be granted is carried over to later iterations; unwanted shares are not. For one thread.
 */
final class Rotation {

  private final ToIntFunction<Topic> weight;
  private final List<Topic> order;
  private final Map<Topic, List<Topic>> aliased = new HashMap<>();
  private final Map<Topic, Double> credit = new HashMap<>();

  /** Maps each name to its handler's topic: aliases share the weight. */
  Rotation(Collection<Topic> topics, ToIntFunction<Topic> weight, UnaryOperator<Topic> binding) {
    this.order = new ArrayList<>(topics);
    this.weight = topic -> weight.applyAsInt(binding.apply(topic));
    Map<Topic, List<Topic>> names = topics.stream().collect(Collectors.groupingBy(binding));
    for (List<Topic> ofOne : names.values()) {
      if (ofOne.size() > 1) {
        ofOne.forEach(name -> aliased.put(name, ofOne));
      }
    }
  }

  /** All topics; they take turns at being first. */
  List<Topic> topics() {
    return List.copyOf(order);
  }

  /**
   * Starts an iteration with {@code capacity} slots for the topics {@code wanting}; the first in
   * order has the first choice.
   */
  List<Topic> begin(Collection<Topic> wanting, int capacity) {
    Collections.rotate(order, -1);
    List<Topic> turn = new ArrayList<>(order);
    turn.retainAll(wanting);
    credit.keySet().retainAll(turn);
    double weights = turn.stream().mapToDouble(topic -> weight(topic, turn)).sum();
    for (Topic topic : turn) {
      double share = capacity * weight(topic, turn) / weights;
      double sum = credit.getOrDefault(topic, 0.0) + share;
      // Credit saved for an hour would block the other topics for as long.
      credit.put(topic, Math.max(-capacity, Math.min(capacity, sum)));
    }
    turn.sort(Comparator.comparing(credit::get, Comparator.reverseOrder()));
    return turn;
  }

  /** Returns how many of the remaining {@code left} slots the first of {@code rest} may have. */
  int share(List<Topic> rest, int left) {
    double sum = rest.stream().mapToDouble(this::positive).sum();
    double part = sum == 0 ? 1.0 / rest.size() : positive(rest.get(0)) / sum;
    return Math.min(left, (int) Math.ceil(left * part));
  }

  /** Records that {@code topic} used {@code count} slots. */
  void took(Topic topic, int count) {
    credit.merge(topic, (double) -count, Double::sum);
  }

  /** Topics without demand leave their weight to the others. */
  private double weight(Topic topic, List<Topic> turn) {
    List<Topic> names = aliased.get(topic);
    long sharing = names == null ? 1 : names.stream().filter(turn::contains).count();
    return weight.applyAsInt(topic) / (double) sharing;
  }

  private double positive(Topic topic) {
    return Math.max(0, credit.getOrDefault(topic, 0.0));
  }
}
