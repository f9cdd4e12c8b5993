/** What operators see of a queue. */
@NullMarked
package io.rowqueue.worker.observe;

import org.jspecify.annotations.NullMarked;
