package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.schedule.Schedule;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/** Notes for which moment of which schedule a firing stands. */
final class FiredHandler implements MessageHandler<String> {

  @Inject
  FiredHandler() {}

  @Override
  public void handle(String nothing, HandlerContext context) {
    String schedule = Objects.requireNonNull(context.headers().get(Schedule.NAME_HEADER));
    String moment = Objects.requireNonNull(context.headers().get(Schedule.TIME_HEADER));
    context
        .transaction()
        .execute(
            "INSERT INTO firing (schedule, moment) VALUES (?, ?)",
            schedule,
            ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(moment)));
  }
}
