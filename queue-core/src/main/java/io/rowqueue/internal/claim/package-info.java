/**
 * Claims: how a worker takes ownership of an available message.
 *
 * <p><b>Ownership.</b> A claim commits before its handler runs. The row then carries the worker's
 * {@link io.rowqueue.internal.claim.LockId} and a claim number that every claim increments and
 * nothing lowers; a statement that ends the claim must find both unchanged.
 *
 * <p><b>Transactions.</b> READ COMMITTED. Candidates are found by the claim index without locks;
 * one statement claims them by primary key in the order of their ids, so that claims never deadlock
 * each other. By default it skips rows that other transactions have locked ({@code SKIP LOCKED});
 * the other strategies wait.
 *
 * <p><b>Time.</b> {@code scheduled} is a state, not a filter: a claim reads no clock. The only
 * exception is a row that plain SQL inserted as available and due later; the worker detects it and
 * releases it.
 *
 * <p><b>Failure.</b> A lost COMMIT reply leaves claims that no worker knows of; the next
 * reconciliation releases them.
 */
@NullMarked
package io.rowqueue.internal.claim;

import org.jspecify.annotations.NullMarked;
