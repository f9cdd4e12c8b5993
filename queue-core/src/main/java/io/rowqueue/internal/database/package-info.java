/**
 * Transactions on the application's database: how they are run, repeated, named and observed.
 *
 * <p>Every write of the protocol is one named {@link io.rowqueue.internal.database.Transition}, run
 * by {@link io.rowqueue.internal.database.Transactions}, which repeats it as a whole after a
 * deadlock, a lock wait timeout or a lost connection.
 */
@NullMarked
package io.rowqueue.internal.database;

import org.jspecify.annotations.NullMarked;
