/**
 * Cancellation requests for claimed messages.
 *
 * <p>A request stays in a table of its own until its message has left the queue, even if the
 * message changes its worker. Workers poll requests together with other operator requests: each
 * worker those for its own claims, and every worker those for unclaimed messages.
 */
@NullMarked
package io.rowqueue.internal.cancel;

import org.jspecify.annotations.NullMarked;
