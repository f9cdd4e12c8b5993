package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.schedule.Schedule;
import java.time.Instant;
import java.util.Objects;

/** Notes which second a firing stands for. */
final class TickHandler implements MessageHandler<String> {

  @Inject
  TickHandler() {}

  @Override
  public void handle(String nothing, HandlerContext context) {
    String firing = Objects.requireNonNull(context.headers().get(Schedule.TIME_HEADER));
    context
        .transaction()
        .execute("INSERT INTO tick (second) VALUES (?)", Instant.parse(firing).getEpochSecond());
  }
}
