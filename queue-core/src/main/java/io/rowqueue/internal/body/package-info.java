/**
 * Payloads that lie beside their messages' rows: in chunks of the database, or in a store outside
 * it. Written by {@code enqueue}, read when the message is handled, gone after it.
 */
@NullMarked
package io.rowqueue.internal.body;

import org.jspecify.annotations.NullMarked;
