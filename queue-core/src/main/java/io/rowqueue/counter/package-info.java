/**
 * Counters for hot rows: a counter's amount is split into slots, so that writers do not wait for
 * each other.
 */
@NullMarked
package io.rowqueue.counter;

import org.jspecify.annotations.NullMarked;
