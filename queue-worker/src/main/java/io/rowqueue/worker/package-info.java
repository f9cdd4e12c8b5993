/**
 * The daemon: a worker that claims messages and dispatches them to handlers, on its own threads.
 */
@NullMarked
package io.rowqueue.worker;

import org.jspecify.annotations.NullMarked;
