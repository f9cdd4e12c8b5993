/**
 * Transactions on the team's database: how one is run, repeated, named and watched.
 *
 * <p>Every write of the protocol is one named {@link io.rowqueue.internal.database.Transition}, run
 * by {@link io.rowqueue.internal.database.Transactions}, which repeats it as a whole when the
 * server answers with a deadlock, a lock wait timeout or a lost connection.
 */
@NullMarked
package io.rowqueue.internal.database;

import org.jspecify.annotations.NullMarked;
