/** How a worker is put together, starts and stops. */
@NullMarked
package io.rowqueue.worker.internal;

import org.jspecify.annotations.NullMarked;
