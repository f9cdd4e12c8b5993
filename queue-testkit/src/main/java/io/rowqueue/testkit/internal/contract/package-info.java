/**
 * Contract tests for queues: RowQueue runs them on the queue in memory and on each server; users
 * can run them on a custom claim strategy or store.
 */
@NullMarked
package io.rowqueue.testkit.internal.contract;

import org.jspecify.annotations.NullMarked;
