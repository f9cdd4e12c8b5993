/** How soon somebody else handles what a worker that is gone had claimed. */
@NullMarked
package io.rowqueue.bench.reap;

import org.jspecify.annotations.NullMarked;
