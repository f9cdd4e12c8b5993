package io.rowqueue.spring;

import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.Schedule;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerBuilder;
import io.rowqueue.worker.WorkerHealth;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The worker in the application. Starts after every other bean, and drains before the web server
 * and the pool stop. Thread-safe.
 */
final class ApplicationWorker implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(ApplicationWorker.class);

  private static final WorkerHealth NOT_RUNNING =
      new WorkerHealth(null, "the worker is not running", 0, 0);

  private final ConfigurableListableBeanFactory beans;
  private final RowQueueProperties.Worker properties;
  private final Supplier<WorkerBuilder> builders;
  private volatile @Nullable Worker worker;
  private volatile boolean onlyEnqueues;

  ApplicationWorker(
      ConfigurableListableBeanFactory beans,
      RowQueueProperties.Worker properties,
      Supplier<WorkerBuilder> builders) {
    this.beans = beans;
    this.properties = properties;
    this.builders = builders;
  }

  @Override
  public synchronized void start() {
    if (worker != null) {
      return;
    }
    HandlerBeans handlers = new HandlerBeans(beans);
    onlyEnqueues = handlers.isEmpty();
    if (onlyEnqueues) {
      warnOfUnused(WorkerCustomizer.class);
      warnOfUnused(Schedule.class);
      LOG.info("no bean has @RowQueueHandler, so this application only enqueues");
      return;
    }
    WorkerBuilder builder = builders.get();
    builder
        .threads(properties.threads())
        .configure(config -> config.withPollInterval(properties.pollInterval()))
        .configure(config -> config.withHandlers(defaults(config.handlers())))
        .configure(config -> config.withShutdownTimeout(properties.drainTimeout()));
    handlers.bindAll(builder);
    beans
        .getBeanProvider(WorkerCustomizer.class)
        .orderedStream()
        .forEach(customizer -> customizer.customize(builder));
    worker = builder.start();
  }

  private void warnOfUnused(Class<?> type) {
    String[] names = beans.getBeanNamesForType(type, true, false);
    if (names.length > 0) {
      LOG.warn(
          "no worker starts, since no bean has @RowQueueHandler; these beans of type {} are not"
              + " used: {}",
          type.getSimpleName(),
          String.join(", ", names));
    }
  }

  private HandlerDefaults defaults(HandlerDefaults before) {
    HandlerDefaults defaults = before;
    if (properties.attempts() != null) {
      defaults = defaults.withMaxAttempts(properties.attempts());
    }
    return properties.timeout() == null ? defaults : defaults.withTimeout(properties.timeout());
  }

  @Override
  public synchronized void stop() {
    Worker running = worker;
    if (running == null) {
      return;
    }
    try {
      end(running, properties.drainTimeout());
    } finally {
      worker = null;
    }
  }

  /** Closes {@code running} even if it cannot drain. */
  static void end(Worker running, Duration drainTimeout) {
    try (running) {
      if (!running.drain(drainTimeout)) {
        LOG.warn(
            "handlers did not end while the worker drained, and were interrupted;"
                + " rowqueue.worker.drain-timeout is {}",
            drainTimeout);
      }
    }
  }

  @Override
  public boolean isRunning() {
    return worker != null;
  }

  /** The worker's state, also while it does not run; null if there are no handlers. */
  @Nullable WorkerHealth health() {
    Worker running = worker;
    if (running != null) {
      return running.health();
    }
    return onlyEnqueues ? null : NOT_RUNNING;
  }

  /** The last to start and the first to stop. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
