/** How much memory a worker needs, and whether it grows. */
@NullMarked
package io.rowqueue.bench.memory;

import org.jspecify.annotations.NullMarked;
