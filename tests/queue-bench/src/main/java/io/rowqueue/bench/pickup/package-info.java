/** From a COMMIT to the handler's first line, and what waiting for it costs. */
@NullMarked
package io.rowqueue.bench.pickup;

import org.jspecify.annotations.NullMarked;
