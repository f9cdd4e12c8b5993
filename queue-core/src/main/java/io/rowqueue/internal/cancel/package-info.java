/**
 * Wishes that claimed messages be cancelled.
 *
 * <p>A wish lies in a table of its own until its message has gone, whoever holds the message when.
 * Workers read the wishes with the other wishes of operators: each those for what it holds, and all
 * of them those for what nobody holds.
 */
@NullMarked
package io.rowqueue.internal.cancel;

import org.jspecify.annotations.NullMarked;
