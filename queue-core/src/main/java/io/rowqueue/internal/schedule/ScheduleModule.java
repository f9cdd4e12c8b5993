package io.rowqueue.internal.schedule;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.MapBinder;
import io.rowqueue.MessageLimits;
import io.rowqueue.Ring;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.Schedules;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.util.Set;

/**
 * Binds the room of schedules to the {@link Transactions}, the {@link MessageLimits} and the {@link
 * Ring} that its surroundings bind; {@link ScheduleBinder} adds to it.
 */
public final class ScheduleModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public ScheduleModule() {}

  @Override
  protected void configure() {
    MapBinder.newMapBinder(binder(), String.class, Schedule.class);
    WrapperBinder.wrappings(binder());
  }

  @Provides
  @Singleton
  Schedules schedules(
      Transactions transactions, MessageLimits limits, Ring ring, Set<Wrapping> wrappings) {
    return new JooqSchedules(
            transactions.ringing(ring), PayloadCodec.json(), Wrapping.none(), limits)
        .wrapping(Wrapping.all(wrappings));
  }

  @Provides
  @Singleton
  Firing firing(Transactions transactions, MessageLimits limits, Ring ring) {
    return new JooqFiring(transactions.ringing(ring), limits);
  }
}
