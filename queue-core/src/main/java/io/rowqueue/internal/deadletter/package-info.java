/**
 * The dead-letter queue: messages that are not retried, until an operator redrives or deletes them.
 */
@NullMarked
package io.rowqueue.internal.deadletter;

import org.jspecify.annotations.NullMarked;
