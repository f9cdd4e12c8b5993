package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.observe.ServerTime;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Counts the worker's actions by topic. */
@Singleton
public final class MeteredWorker implements WorkerObserver {

  /** Buckets from the shortest handlers to the default handler timeout. */
  private static final Duration[] STEPS =
      java.util.stream.LongStream.of(
              1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000,
              300_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final MeterRegistry meters;
  private final ServerTime time;
  private final Map<Topic, OfTopic> topics = new ConcurrentHashMap<>();
  private final Counter released;
  private final Counter quarantined;
  private final Counter declaredDead;

  @Inject
  MeteredWorker(MeterRegistry meters, ServerTime time) {
    this.meters = meters;
    this.time = time;
    this.released = reaped("released");
    this.quarantined = reaped("quarantined");
    this.declaredDead =
        Counter.builder("rowqueue.workers.declared.dead")
            .description("Peers that this worker declared dead")
            .register(meters);
  }

  private Counter reaped(String end) {
    return Counter.builder("rowqueue.reaped")
        .description("Messages of dead workers that this worker released or quarantined")
        .tag("end", end)
        .register(meters);
  }

  /**
   * Registers the meters of {@code topic} at zero, to distinguish "not happened" from "no data".
   */
  void expect(Topic topic) {
    of(topic);
  }

  private OfTopic of(Topic topic) {
    return topics.computeIfAbsent(topic, name -> new OfTopic(meters, name));
  }

  @Override
  public void claimed(Topic topic, List<Claim> taken, Duration took) {
    of(topic).claims.increment(taken.size());
  }

  @Override
  public void begun(Handling handling) {
    for (Claim claim : handling.claims()) {
      Duration waited = time.pickup(claim);
      if (waited != null) {
        of(claim.topic()).pickup.record(waited);
      }
    }
  }

  @Override
  public void ended(Handling handling) {
    of(handling.claim().topic()).handling.record(handling.runningNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void settled(Claim claim, Outcome outcome) {
    of(claim.topic()).settled(outcome).increment();
  }

  @Override
  public void reaped(int free, int aside) {
    released.increment(free);
    quarantined.increment(aside);
  }

  @Override
  public void declaredDead(int workers) {
    declaredDead.increment(workers);
  }

  /** The meters of one topic. */
  private static final class OfTopic {

    private final Counter claims;
    private final Timer handling;
    private final Timer pickup;
    private final Map<Outcome, Counter> settlements = new EnumMap<>(Outcome.class);

    OfTopic(MeterRegistry meters, Topic topic) {
      claims =
          Counter.builder("rowqueue.claims")
              .description("Messages that were claimed")
              .tag("topic", topic.name())
              .register(meters);
      handling =
          timer("rowqueue.handling", "From the start of a handler to its settlement", topic)
              .register(meters);
      pickup =
          timer("rowqueue.pickup", "From the time a message was due to its first attempt", topic)
              .register(meters);
      for (Outcome outcome : Outcome.values()) {
        settlements.put(
            outcome,
            Counter.builder("rowqueue.settlements")
                .description("Claims that were settled or lost, by outcome")
                .tag("topic", topic.name())
                .tag("outcome", word(outcome))
                .register(meters));
      }
    }

    private static Timer.Builder timer(String name, String what, Topic topic) {
      return Timer.builder(name)
          .description(what)
          .tag("topic", topic.name())
          .serviceLevelObjectives(STEPS);
    }

    /** A grouped ack counts as acked when its handler has returned. */
    private static String word(Outcome outcome) {
      return (outcome == Outcome.HANDLED ? Outcome.ACKED : outcome)
          .name()
          .toLowerCase(Locale.ROOT)
          .replace('_', '-');
    }

    private Counter settled(Outcome outcome) {
      return java.util.Objects.requireNonNull(settlements.get(outcome));
    }
  }
}
