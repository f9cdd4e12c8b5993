package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.micrometer.core.instrument.MeterRegistry;
import io.rowqueue.worker.WorkerService;
import io.rowqueue.worker.internal.WorkerStartException;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the gauges of a worker in a registry of the application. A registry ignores a second gauge
 * of a name, and gives out the first in its place, so it can have those of one worker only.
 */
@Singleton
public final class GaugeReader implements WorkerService {

  private static final Duration INTERVAL = Duration.ofSeconds(15);

  /** The registries with gauges of a worker. */
  private static final Set<MeterRegistry> TAKEN = ConcurrentHashMap.newKeySet();

  private final QueueReading reading;
  private final WorkerGauges gauges;
  private final WorkerThreads threads;
  private final MeterRegistry meters;
  private volatile boolean mine;

  @Inject
  GaugeReader(
      QueueReading reading, WorkerGauges gauges, WorkerThreads threads, MeterRegistry meters) {
    this.reading = reading;
    this.gauges = gauges;
    this.threads = threads;
    this.meters = meters;
  }

  @Override
  public void begin() {
    mine = TAKEN.add(meters);
    if (!mine) {
      throw new WorkerStartException(
          "another worker has its gauges in this MeterRegistry; give each worker a registry of its"
              + " own, with a common tag to tell them apart",
          null);
    }
  }

  @Override
  public void running() {
    gauges.register();
    threads.loop("gauges", INTERVAL, reading::refresh);
  }

  @Override
  public void end() {
    if (mine) {
      gauges.remove();
      TAKEN.remove(meters);
    }
  }
}
