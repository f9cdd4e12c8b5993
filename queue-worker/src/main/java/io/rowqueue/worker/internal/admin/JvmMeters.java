package io.rowqueue.worker.internal.admin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;

/** The standard JVM metrics: memory, garbage collection, threads, CPU. */
final class JvmMeters implements AutoCloseable {

  private final MeterRegistry meters;
  private final JvmGcMetrics collections = new JvmGcMetrics();

  JvmMeters(MeterRegistry meters) {
    this.meters = meters;
  }

  void register() {
    new JvmMemoryMetrics().bindTo(meters);
    new JvmThreadMetrics().bindTo(meters);
    new ProcessorMetrics().bindTo(meters);
    collections.bindTo(meters);
  }

  @Override
  public void close() {
    collections.close();
  }
}
