/** Quiet topics beside a hot one. */
@NullMarked
package io.rowqueue.bench.topics;

import org.jspecify.annotations.NullMarked;
