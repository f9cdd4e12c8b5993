/**
 * Where an available message becomes one worker's.
 *
 * <p><b>Ownership.</b> A claim commits before its handler runs. The row then carries the worker's
 * {@link io.rowqueue.internal.claim.LockId} and a claim number that every claim raises and nothing
 * lowers; whoever ends the claim must find both unchanged.
 *
 * <p><b>Transactions.</b> READ COMMITTED. Candidates are found by the claim key without locks; one
 * statement takes them by primary key in the order of their ids, so that no two claims wait for
 * each other in a circle. By default it passes over what others hold ({@code SKIP LOCKED}); the
 * other strategies wait.
 *
 * <p><b>Time.</b> {@code scheduled} is a state, not a filter: a claim reads no clock. Only a row
 * that plain SQL inserted as available and due later is noticed, and handed back.
 *
 * <p><b>Failure.</b> A lost COMMIT reply leaves claims that nobody knows; the next reconciliation
 * releases them.
 */
@NullMarked
package io.rowqueue.internal.claim;

import org.jspecify.annotations.NullMarked;
