/** Measures what claims, wakeups, reaping and fairness cost; each program says what it does. */
@NullMarked
package io.rowqueue.bench;

import org.jspecify.annotations.NullMarked;
