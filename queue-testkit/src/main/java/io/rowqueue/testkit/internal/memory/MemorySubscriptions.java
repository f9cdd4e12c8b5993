package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.SubscriptionDetails;
import io.rowqueue.operate.Subscriptions;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Subscriptions by source. Thread-safe. */
final class MemorySubscriptions implements Subscriptions {

  private final Rules rules;

  /** Whether each is muted. */
  private final Map<Subscription, Boolean> all =
      new TreeMap<>(Comparator.comparing(Subscription::source).thenComparing(Subscription::topic));

  MemorySubscriptions(Rules rules) {
    this.rules = rules;
  }

  @Override
  public synchronized void subscribe(String source, String topic) {
    all.putIfAbsent(Subscription.of(source, topic), false);
  }

  @Override
  public synchronized int declare(Collection<Subscription> declared) {
    int before = all.size();
    declared.forEach(each -> all.putIfAbsent(each, false));
    return all.size() - before;
  }

  @Override
  public synchronized boolean unsubscribe(String source, String topic) {
    return all.remove(Subscription.of(source, topic)) != null;
  }

  @Override
  public synchronized boolean pause(String source, String topic) {
    return all.replace(Subscription.of(source, topic), true) != null;
  }

  @Override
  public synchronized boolean resume(String source, String topic) {
    return all.replace(Subscription.of(source, topic), false) != null;
  }

  @Override
  public synchronized List<SubscriptionDetails> list() {
    return all.entrySet().stream()
        .map(
            each ->
                new SubscriptionDetails(
                    each.getKey().source().name(), each.getKey().topic().name(), each.getValue()))
        .toList();
  }

  @Override
  public synchronized List<Topic> topics(String source) {
    return all.entrySet().stream()
        .filter(
            each ->
                rules.getsCopies(each.getValue()) && each.getKey().source().name().equals(source))
        .map(each -> each.getKey().topic())
        .toList();
  }
}
