/** How soon somebody else handles what a worker that is gone had claimed. */
@NullMarked
package io.rowqueue.proof.bench.rescue;

import org.jspecify.annotations.NullMarked;
