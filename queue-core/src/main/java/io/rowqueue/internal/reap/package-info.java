/**
 * Who lives, and what becomes of the claims of those who do not.
 *
 * <p><b>Birth order.</b> A worker's row is committed before its first claim, so a claim whose
 * lock_id has no live row belongs to nobody.
 *
 * <p><b>Death.</b> One guarded update flips the row from alive to dead; renewal says {@code AND
 * alive}, so the worker learns it at its next renewal. Only then are its claims released, and its
 * row goes last, after its claims. What it still claims before it learns is found the same way
 * again.
 */
@NullMarked
package io.rowqueue.internal.reap;

import org.jspecify.annotations.NullMarked;
