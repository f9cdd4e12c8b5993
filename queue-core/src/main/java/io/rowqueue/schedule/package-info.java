/**
 * Messages that come by the clock: what a cron expression or a fixed rate says ({@link
 * io.rowqueue.schedule.CronSyntax}), at which instants it fires in a zone with daylight saving
 * ({@link io.rowqueue.schedule.ScheduleTimes}), and which of the firings that have passed are
 * enqueued ({@link io.rowqueue.schedule.Firings}).
 */
@NullMarked
package io.rowqueue.schedule;

import org.jspecify.annotations.NullMarked;
