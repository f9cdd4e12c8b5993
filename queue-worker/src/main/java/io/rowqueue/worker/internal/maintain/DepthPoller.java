package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.depth.DepthSampler;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.WorkerTopics;
import io.rowqueue.worker.internal.observe.WorkStatistics;
import java.time.Duration;
import java.util.List;

/**
 * Checks the back-pressure limits of this worker's topics, and writes its statistics. If several
 * workers share a topic, one of them checks it at a time.
 */
@Singleton
public final class DepthPoller {

  private static final Duration EVERY = Duration.ofSeconds(1);

  private final TopicSettingsCache settings;
  private final WorkerTopics topics;
  private final DepthSampler sampler;
  private final ClaimStrategy strategy;
  private final WorkStatistics statistics;
  private final WorkerThreads threads;

  @Inject
  DepthPoller(
      TopicSettingsCache settings,
      WorkerTopics topics,
      DepthSampler sampler,
      ClaimStrategy strategy,
      WorkStatistics statistics,
      WorkerThreads threads) {
    this.settings = settings;
    this.topics = topics;
    this.sampler = sampler;
    this.strategy = strategy;
    this.statistics = statistics;
    this.threads = threads;
  }

  public void start() {
    threads.loop("depth", EVERY, this::turn);
  }

  private void turn() {
    threads.each("writing statistics", List.of(System.currentTimeMillis()), statistics::turn);
    threads.each("checking back-pressure limits", topics.all(), this::sample);
    // Producers that read the table with plain SQL would otherwise wait for ever.
    threads.each(
        "ending back-pressure",
        settings.fullWithoutLimit(),
        topic -> sampler.sample(topic, DepthLimit.NONE, strategy.marks(topic)));
  }

  private void sample(Topic topic) {
    DepthLimit limit = settings.depthLimit(topic);
    if (!limit.isNone() && !threads.isStopped()) {
      sampler.sample(topic, limit, strategy.marks(topic));
    }
  }
}
