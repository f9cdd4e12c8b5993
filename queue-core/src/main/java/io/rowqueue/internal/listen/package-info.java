/**
 * Wake-up notifications of idle workers.
 *
 * <p>A listener is a connection of a worker that runs a SLEEP with the connection's own id in its
 * text. A notification ends that SLEEP with KILL QUERY, after a check in the server's process list
 * that the connection still is that listener: it must never kill another client's query.
 */
@NullMarked
package io.rowqueue.internal.listen;

import org.jspecify.annotations.NullMarked;
