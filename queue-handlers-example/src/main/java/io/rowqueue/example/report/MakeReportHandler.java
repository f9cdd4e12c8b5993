package io.rowqueue.example.report;

import com.google.inject.Inject;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.Schedule;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * Sums up the orders before the time that the scheduled run stands for, not before the moment at
 * which it happens to be handled: after a night without workers the report is of the same hours.
 */
final class MakeReportHandler implements MessageHandler<MakeReport> {

  @Inject
  MakeReportHandler() {}

  @Override
  public void handle(MakeReport report, HandlerContext context) {
    LocalDateTime until = until(context.headers().get(Schedule.TIME_HEADER));
    context
        .transaction()
        .execute(
            "REPLACE INTO shop_report (until_at, orders, pieces)"
                + " SELECT ?, COUNT(*), COALESCE(SUM(quantity), 0) FROM shop_order"
                + " WHERE state = 'CONFIRMED' AND placed_at >= ? AND placed_at < ?",
            // Text, since Connector/J cuts fractions of a second off for MariaDB 10.
            until.toString(),
            until.minusHours(report.hours()).toString(),
            until.toString());
  }

  private static LocalDateTime until(@Nullable String scheduledTime) {
    if (scheduledTime == null) {
      throw new PermanentFailure(
          "a report comes by a schedule: it needs the time of a scheduled run");
    }
    try {
      return LocalDateTime.ofInstant(Instant.parse(scheduledTime), ZoneOffset.UTC);
    } catch (DateTimeParseException e) {
      throw new PermanentFailure("no time of a scheduled run: " + scheduledTime, e);
    }
  }
}
