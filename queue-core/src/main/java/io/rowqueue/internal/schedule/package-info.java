/**
 * Messages that come by the clock. What a schedule is ({@link io.rowqueue.handler.Schedule}), who
 * sets, lists and changes it ({@link io.rowqueue.operate.Schedules}), and how workers fire it
 * ({@link io.rowqueue.internal.schedule.ScheduleTrigger}).
 *
 * <p>A schedule is a row that has its next firing. Whoever finds it due locks it, enqueues, and
 * moves it on in one transaction; so there is no leader, and nothing lives in memory. Below that:
 * what a cron expression says ({@link io.rowqueue.internal.schedule.CronSyntax}), at which instants
 * it fires in a zone with daylight saving ({@link io.rowqueue.internal.schedule.ScheduleTimes}),
 * and which of the firings that have passed are enqueued ({@link
 * io.rowqueue.internal.schedule.ScheduledRuns}).
 */
@NullMarked
package io.rowqueue.internal.schedule;

import org.jspecify.annotations.NullMarked;
