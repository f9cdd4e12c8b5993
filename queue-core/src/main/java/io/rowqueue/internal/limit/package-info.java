/**
 * Limits of topics that hold for all workers together: at most so many handlings at once, on slots
 * that workers hold, and so many beginnings a second, from a bucket that workers draw from.
 *
 * <p>Whoever decides writes the row that it decides about: the slot that it takes, the bucket that
 * it draws from. So two servers that both take writes cannot let two through where there is room
 * for one. A slot belongs to a life of a worker, as a claim does, and goes back as it does: when no
 * live row has its lock_id.
 */
@NullMarked
package io.rowqueue.internal.limit;

import org.jspecify.annotations.NullMarked;
