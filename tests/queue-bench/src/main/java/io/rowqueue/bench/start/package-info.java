/** How long it takes a worker to begin. */
@NullMarked
package io.rowqueue.bench.start;

import org.jspecify.annotations.NullMarked;
