/**
 * External payloads, stored separately from their messages' rows: in chunks in the database, or in
 * a store outside it. They are written by {@code enqueue}, read by handlers, and deleted after
 * their message.
 */
@NullMarked
package io.rowqueue.internal.body;

import org.jspecify.annotations.NullMarked;
