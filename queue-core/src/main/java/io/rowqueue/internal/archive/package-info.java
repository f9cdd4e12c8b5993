/**
 * Copies of acknowledged messages, for topics with a retention. A copy is written in the
 * transaction that deletes the message, so it exists if and only if the message was handled.
 */
@NullMarked
package io.rowqueue.internal.archive;

import org.jspecify.annotations.NullMarked;
