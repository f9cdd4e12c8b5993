package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.worker.WorkerService;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;

/** Keeps the gauges of a worker in a registry of the application. */
@Singleton
public final class GaugeReader implements WorkerService {

  private static final Duration INTERVAL = Duration.ofSeconds(15);

  private final QueueReading reading;
  private final WorkerGauges gauges;
  private final WorkerThreads threads;

  @Inject
  GaugeReader(QueueReading reading, WorkerGauges gauges, WorkerThreads threads) {
    this.reading = reading;
    this.gauges = gauges;
    this.threads = threads;
  }

  @Override
  public void running() {
    gauges.register();
    threads.loop("gauges", INTERVAL, reading::refresh);
  }

  @Override
  public void end() {
    gauges.remove();
  }
}
