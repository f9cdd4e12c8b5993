/**
 * Liveness of workers, and the release of dead workers' claims.
 *
 * <p><b>Registration.</b> A worker's row is committed before its first claim, so a claim whose
 * lock_id has no live row is orphaned.
 *
 * <p><b>Death.</b> One guarded update flips the row from alive to dead; renewal requires {@code
 * is_alive}, so the worker learns it at its next renewal. Only then are its claims released, and
 * its row is deleted last, after its claims. Claims that it makes before it learns are found in the
 * next pass.
 */
@NullMarked
package io.rowqueue.internal.reap;

import org.jspecify.annotations.NullMarked;
