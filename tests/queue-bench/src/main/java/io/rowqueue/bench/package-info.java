/** Workloads, one file a subject; {@link io.rowqueue.bench.Bench} names them. */
@NullMarked
package io.rowqueue.bench;

import org.jspecify.annotations.NullMarked;
