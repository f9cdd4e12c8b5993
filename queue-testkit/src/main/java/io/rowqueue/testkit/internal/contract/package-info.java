/**
 * What every queue does, as tests that anybody may run: RowQueue's own run them on the queue in
 * memory and on each server, and a team on a claim strategy or a store of its own.
 */
@NullMarked
package io.rowqueue.testkit.internal.contract;

import org.jspecify.annotations.NullMarked;
