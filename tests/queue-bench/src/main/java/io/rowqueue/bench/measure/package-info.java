/** What a piece of work costs: time, processor time on both sides, statements, locks. */
@NullMarked
package io.rowqueue.bench.measure;

import org.jspecify.annotations.NullMarked;
