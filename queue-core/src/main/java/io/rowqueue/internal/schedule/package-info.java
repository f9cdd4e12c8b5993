/**
 * Schedules: their definition ({@link io.rowqueue.handler.Schedule}), the API to set, list and
 * change them ({@link io.rowqueue.operate.Schedules}), and how workers trigger them ({@link
 * io.rowqueue.internal.schedule.ScheduleTrigger}).
 *
 * <p>A schedule is a row that contains its next run. A worker that finds it due locks it, enqueues,
 * and advances it in one transaction; so there is no leader and no state in memory. Helper types:
 * the syntax of cron expressions ({@link io.rowqueue.internal.schedule.CronSyntax}), their instants
 * in a zone with daylight saving ({@link io.rowqueue.internal.schedule.ScheduleTimes}), and the
 * missed runs that are enqueued ({@link
 * io.rowqueue.internal.schedule.ScheduleTimes.ScheduledRuns}).
 */
@NullMarked
package io.rowqueue.internal.schedule;

import org.jspecify.annotations.NullMarked;
