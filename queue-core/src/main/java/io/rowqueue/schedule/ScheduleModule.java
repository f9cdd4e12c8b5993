package io.rowqueue.schedule;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.MapBinder;
import io.rowqueue.database.Transactions;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.wrap.WrapperBinder;
import io.rowqueue.wrap.Wrapping;
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
    return Schedules.of(transactions.ringing(ring), PayloadCodec.json(), limits)
        .wrapping(Wrapping.all(wrappings));
  }

  @Provides
  @Singleton
  Firing firing(Transactions transactions, MessageLimits limits, Ring ring) {
    return new JooqFiring(transactions.ringing(ring), limits);
  }
}
