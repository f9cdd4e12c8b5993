/** How long it takes a worker to begin. */
@NullMarked
package io.rowqueue.proof.bench.start;

import org.jspecify.annotations.NullMarked;
