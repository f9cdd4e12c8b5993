package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.rowqueue.Topic;
import io.rowqueue.internal.enqueue.PublicationListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts, by source, publications of this worker's handlers without a subscriber. The number of
 * counters is limited, since a handler may create source names at run time.
 */
@Singleton
public final class MeteredPublications implements PublicationListener {

  static final int MOST_SOURCES = 1_000;

  /**
   * The tag for all sources beyond the limit; longer than 64 characters, so it cannot clash with a
   * topic's name.
   */
  static final String OTHERS = "(all other sources beyond the first thousand)";

  private final MeterRegistry meters;
  private final Map<String, Counter> sources = new ConcurrentHashMap<>();

  @Inject
  MeteredPublications(MeterRegistry meters) {
    this.meters = meters;
  }

  @Override
  public void publishedWithoutSubscribers(Topic source, int messages) {
    boolean counted = sources.size() < MOST_SOURCES || sources.containsKey(source.name());
    counter(counted ? source.name() : OTHERS).increment(messages);
  }

  private Counter counter(String source) {
    return sources.computeIfAbsent(
        source,
        name ->
            Counter.builder("rowqueue.published.to.nobody")
                .description("Messages published by this worker's handlers without a subscriber")
                .tag("source", name)
                .register(meters));
  }
}
