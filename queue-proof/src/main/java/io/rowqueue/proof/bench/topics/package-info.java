/** Quiet topics beside a hot one. */
@NullMarked
package io.rowqueue.proof.bench.topics;

import org.jspecify.annotations.NullMarked;
