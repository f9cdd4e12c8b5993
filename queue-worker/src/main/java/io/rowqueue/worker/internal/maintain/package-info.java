/** Cluster-wide maintenance: reaping, pruning, schedules, and operators' requests. */
@NullMarked
package io.rowqueue.worker.internal.maintain;

import org.jspecify.annotations.NullMarked;
