/** Messages that come by the clock: many at once, their lateness, and many that wait. */
@NullMarked
package io.rowqueue.bench.schedule;

import org.jspecify.annotations.NullMarked;
