package io.rowqueue.example.report;

import com.google.inject.AbstractModule;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import java.time.ZoneId;

/** Makes a report each night. */
public final class ReportModule extends AbstractModule {

  /** At ten past two, by the shop's wall clock. */
  public ReportModule() {}

  @Override
  protected void configure() {
    HandlerBinder.bind(binder(), MakeReport.TOPIC, MakeReportHandler.class);
    ScheduleBinder.bind(
        binder(),
        Schedule.cron("shop.nightly-report", "10 2 * * *", ZoneId.of("Europe/Berlin"))
            .enqueues(NewMessage.of(MakeReport.TOPIC, new MakeReport(24)))
            .onMisfire(MisfirePolicy.ALL));
  }
}
