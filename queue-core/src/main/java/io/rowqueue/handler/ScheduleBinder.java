package io.rowqueue.handler;

import com.google.inject.Binder;
import com.google.inject.multibindings.MapBinder;
import io.rowqueue.operate.Schedules;

/**
 * Declares schedules in a Guice module, one line each:
 *
 * <pre>{@code
 * ScheduleBinder.bind(
 *     binder(),
 *     Schedule.every("orders.sweep", Duration.ofMinutes(5))
 *         .enqueues(NewMessage.of("orders.sweep", new Sweep())));
 * }</pre>
 *
 * <p>A worker with the module sets them when it starts. A schedule that is no longer in the code is
 * not removed, because another service may declare it; use {@link Schedules#remove}.
 */
public final class ScheduleBinder {

  private ScheduleBinder() {}

  /** Declares {@code schedule}; two with one name are a configuration error of the modules. */
  public static void bind(Binder binder, Schedule schedule) {
    MapBinder.newMapBinder(binder.skipSources(ScheduleBinder.class), String.class, Schedule.class)
        .addBinding(schedule.name())
        .toInstance(schedule);
  }
}
