package io.rowqueue.bench.schedule;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.schedule.Firing;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.WorkerPools;

/** Schedules that are all due, fired by one thread as a worker fires them. */
final class Fired implements Contender {

  private final QueueDatabase database;
  private final Injector injector;

  Fired(QueueDatabase database) {
    this.database = database;
    this.injector =
        Guice.createInjector(
            Bindings.bind(
                ScheduleScene.TOPIC, (message, context) -> {}, HandlerSettings.defaults()),
            new WorkerModule(WorkerConfig.defaults(database.config())));
  }

  @Override
  public String name() {
    return "fired";
  }

  @Override
  public Effort round(Meter meter, int messages) {
    Firing firing = injector.getInstance(Firing.class);
    database.execute("UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
    try {
      Mark from = meter.mark();
      int fired = 0;
      while (fired < messages) {
        int some = firing.fireDue();
        if (some == 0) {
          throw new IllegalStateException("%d of %d have fired".formatted(fired, messages));
        }
        fired += some;
      }
      return meter.since(from, messages);
    } finally {
      database.execute("DELETE FROM queue_message");
    }
  }

  @Override
  public void close() {
    injector.getInstance(WorkerPools.class).close();
  }
}
