/**
 * What operators do to a running queue: find, cancel, reschedule and prioritize a message by its
 * id, pause and resume topics, have copies kept, limit what runs, and ask a worker to drain.
 *
 * <p>No operation reads first and writes then: each is one statement whose condition on the state
 * decides, and a look afterwards only says why it found no row.
 */
@NullMarked
package io.rowqueue.internal.operate;

import org.jspecify.annotations.NullMarked;
