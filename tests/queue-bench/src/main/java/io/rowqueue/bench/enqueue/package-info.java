/** Who puts messages into a queue how fast. */
@NullMarked
package io.rowqueue.bench.enqueue;

import org.jspecify.annotations.NullMarked;
