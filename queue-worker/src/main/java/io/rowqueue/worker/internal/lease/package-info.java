/** The worker's identity and lease: who it is in the database, and until when. */
@NullMarked
package io.rowqueue.worker.internal.lease;

import org.jspecify.annotations.NullMarked;
