/**
 * Progress reports of handlers.
 *
 * <p>Writes in a handler's transaction are invisible until its COMMIT. So the worker writes the
 * latest report of each handler in a separate transaction, at most once a second and with one
 * statement for all its handlers. Reports of handlers that end within that second are not written.
 */
@NullMarked
package io.rowqueue.internal.progress;

import org.jspecify.annotations.NullMarked;
