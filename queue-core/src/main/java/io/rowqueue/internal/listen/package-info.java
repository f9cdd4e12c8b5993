/**
 * Where idle workers listen, and how a ring reaches them.
 *
 * <p>A listener is a connection of a worker that sits in a SLEEP with the connection's own id in
 * its text. A ring ends that SLEEP with KILL QUERY, after it has seen in the server's process list
 * that the connection is still that listener: it must never hit a stranger's query.
 */
@NullMarked
package io.rowqueue.internal.listen;

import org.jspecify.annotations.NullMarked;
