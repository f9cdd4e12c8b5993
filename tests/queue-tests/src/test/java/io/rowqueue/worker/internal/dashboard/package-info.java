/** The dashboard of a running worker: over HTTP, and in a real browser where there is one. */
@NullMarked
package io.rowqueue.worker.internal.dashboard;

import org.jspecify.annotations.NullMarked;
