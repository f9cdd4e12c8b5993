package io.rowqueue.proof.cluster;

import io.rowqueue.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Publishers without rest, one for each node, that note in which phase each publication was. */
final class Publishers implements AutoCloseable {

  private static final Duration LONG = Duration.ofMinutes(3);

  private final List<AtomicInteger> counts = new ArrayList<>();
  private final List<Future<?>> ends = new ArrayList<>();
  private final Queue<Made> made = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads;
  private volatile Step step = new Step(Phase.BEFORE);
  private volatile boolean stopped;

  private Publishers(int nodes) {
    this.threads = Executors.newFixedThreadPool(nodes);
  }

  /** What is known of a subscription. */
  enum Phase {
    BEFORE,
    CHANGING,
    SUBSCRIBED,
    UNSUBSCRIBED
  }

  /** A stay in a phase, which may come twice. */
  private static final class Step {
    private final Phase phase;

    Step(Phase phase) {
      this.phase = phase;
    }
  }

  /**
   * A publication.
   *
   * @param within the phase in which it began and ended; null if that was not the same
   * @param topics where its copies are
   */
  record Made(@Nullable Phase within, Set<String> topics) {}

  /** Starts so many, each doing over and over what {@code publisher} says for its node. */
  static Publishers start(int nodes, IntFunction<Callable<Set<String>>> publisher) {
    Publishers publishers = new Publishers(nodes);
    for (int node = 1; node <= nodes; node++) {
      AtomicInteger count = new AtomicInteger();
      Callable<Set<String>> one = publisher.apply(node);
      publishers.counts.add(count);
      publishers.ends.add(publishers.threads.submit(() -> publishers.publish(one, count)));
    }
    return publishers;
  }

  private @Nullable Object publish(Callable<Set<String>> one, AtomicInteger count)
      throws Exception {
    while (!stopped) {
      Step before = step;
      Set<String> topics = one.call();
      made.add(new Made(before == step ? before.phase : null, topics));
      count.incrementAndGet();
    }
    return null;
  }

  /** From now on. */
  void enter(Phase phase) {
    step = new Step(phase);
  }

  /** Until each of them has ended {@code more} publications since this call. */
  void awaitMoreOfEach(int more) {
    List<Integer> targets = counts.stream().map(count -> count.get() + more).toList();
    Await.until(
        more + " more publications on each node",
        LONG,
        () -> {
          failIfOneHas();
          return counts.stream().map(AtomicInteger::get).toList();
        },
        now -> {
          for (int i = 0; i < targets.size(); i++) {
            if (now.get(i) < targets.get(i)) {
              return false;
            }
          }
          return true;
        });
  }

  /** One that has failed makes no more, and says why. */
  private void failIfOneHas() throws Exception {
    for (Future<?> end : ends) {
      if (end.isDone()) {
        end.get();
      }
    }
  }

  /** Ends them; what they have made. */
  List<Made> stop() throws Exception {
    stopped = true;
    for (Future<?> end : ends) {
      end.get();
    }
    return List.copyOf(made);
  }

  @Override
  public void close() {
    stopped = true;
    threads.shutdownNow();
  }
}
