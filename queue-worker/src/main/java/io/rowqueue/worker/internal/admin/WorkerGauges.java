package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.rowqueue.Topic;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.WorkerTopics;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.poll.Claimer;
import io.rowqueue.worker.internal.poll.Listener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Gauges of a running worker, computed when metrics are scraped. */
@Singleton
final class WorkerGauges {

  private final MeterRegistry meters;
  private final QueueReading reading;
  private final MeteredWorker counts;
  private final Provider<Parts> parts;
  private final List<Meter> registered = new ArrayList<>();

  @Inject
  WorkerGauges(
      MeterRegistry meters, QueueReading reading, MeteredWorker counts, Provider<Parts> parts) {
    this.meters = meters;
    this.reading = reading;
    this.counts = counts;
    this.parts = parts;
  }

  /** Registers the gauges once the worker runs. */
  void register() {
    Parts worker = parts.get();
    for (Topic topic : worker.topics.all()) {
      counts.expect(topic);
      gauge(
              "rowqueue.depth",
              "Messages waiting, available and blocked by an ordering key, counted up to 100,000")
          .with(Tags.of("topic", topic.name()), reading, all -> all.depth(topic));
      gauge("rowqueue.oldest.seconds", "Age of the oldest available message")
          .with(Tags.of("topic", topic.name()), reading, all -> all.oldestSeconds(topic));
      gauge("rowqueue.enqueued.per.second", "Messages enqueued per second in the last full minute")
          .with(Tags.of("topic", topic.name()), reading, all -> all.enqueuedPerSecond(topic));
      gauge("rowqueue.topic.dead.letters", "Dead letters by topic, counted up to 100,000")
          .with(Tags.of("topic", topic.name()), reading, all -> all.deadLetters(topic));
    }
    gauge("rowqueue.dead.letters", "Dead letters of all topics, each counted up to 100,000")
        .with(Tags.empty(), reading, QueueReading::deadLetters);
    gauge("rowqueue.database.up", "Whether the last reading of the database succeeded")
        .with(Tags.empty(), reading, all -> all.isAnswered() ? 1 : 0);
    registerPrefetch(worker);
    registerLiveness(worker);
    worker.pools.use().keySet().forEach(pool -> registerPool(worker.pools, pool));
  }

  private void registerPrefetch(Parts worker) {
    gauge("rowqueue.threads", "Handler threads available for messages")
        .with(Tags.empty(), worker.dispatcher, Dispatcher::threads);
    gauge(
            "rowqueue.threads.abandoned",
            "Handler threads abandoned to handlers that ignore interrupts")
        .with(Tags.empty(), worker.dispatcher, Dispatcher::abandoned);
    gauge("rowqueue.threads.busy", "Handler threads that run a handler")
        .with(Tags.empty(), worker.dispatcher, Dispatcher::busy);
    gauge("rowqueue.claims.held", "Claims not yet settled")
        .with(Tags.empty(), worker.dispatcher, Dispatcher::held);
    gauge("rowqueue.claims.prefetched", "Claims waiting for a handler thread")
        .with(Tags.empty(), worker.dispatcher, Dispatcher::waiting);
  }

  private void registerLiveness(Parts worker) {
    gauge("rowqueue.lease.margin.seconds", "Time until the lease may have expired")
        .with(
            Tags.empty(),
            worker.leaseState,
            leaseState -> leaseState.margin().toMillis() / 1_000.0);
    gauge(
            "rowqueue.claimer.turn.age.seconds",
            "Time since the last iteration of the claim loop began")
        .with(Tags.empty(), worker.claimer, one -> one.sinceIteration().toMillis() / 1_000.0);
    registered.add(
        FunctionCounter.builder("rowqueue.wakeups", worker.listener, Listener::wakes)
            .description("Wake-up notifications received")
            .register(meters));
  }

  private void registerPool(WorkerPools pools, String name) {
    register(pools, name, "active", HikariPoolMXBean::getActiveConnections);
    register(pools, name, "idle", HikariPoolMXBean::getIdleConnections);
    register(pools, name, "awaited", HikariPoolMXBean::getThreadsAwaitingConnection);
  }

  private void register(
      WorkerPools pools, String name, String state, ToDoubleFunction<HikariPoolMXBean> count) {
    gauge("rowqueue.connections", "Pool connections by state, and threads waiting for one")
        .with(
            Tags.of(Tag.of("pool", name), Tag.of("state", state)),
            pools,
            all -> {
              HikariPoolMXBean pool = all.use().get(name);
              return pool == null ? 0 : count.applyAsDouble(pool);
            });
  }

  private NamedGauge gauge(String name, String description) {
    return new NamedGauge(meters, registered, name, description);
  }

  /** Removes them: the next worker of this registry registers its own. */
  void remove() {
    registered.forEach(meters::remove);
    registered.clear();
  }

  private record NamedGauge(
      MeterRegistry meters, List<Meter> registered, String name, String description) {

    <T> void with(Iterable<Tag> tags, T of, ToDoubleFunction<T> value) {
      registered.add(
          Gauge.builder(name, of, value).description(description).tags(tags).register(meters));
    }
  }

  /** The observed components; absent before the worker runs. */
  static final class Parts {

    private final WorkerTopics topics;
    private final Dispatcher dispatcher;
    private final Claimer claimer;
    private final Listener listener;
    private final LeaseState leaseState;
    private final WorkerPools pools;

    @Inject
    Parts(
        WorkerTopics topics,
        Dispatcher dispatcher,
        Claimer claimer,
        Listener listener,
        LeaseState leaseState,
        WorkerPools pools) {
      this.topics = topics;
      this.dispatcher = dispatcher;
      this.claimer = claimer;
      this.listener = listener;
      this.leaseState = leaseState;
      this.pools = pools;
    }
  }
}
