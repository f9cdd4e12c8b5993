/**
 * Operations on a running queue: find, cancel, reschedule and prioritize messages by id, pause,
 * resume and limit topics, set their retention, and drain workers.
 *
 * <p>Operations on a message do not read before they write: the condition of one statement decides.
 * If it finds no row, a query afterwards determines the reason.
 */
@NullMarked
package io.rowqueue.internal.operate;

import org.jspecify.annotations.NullMarked;
