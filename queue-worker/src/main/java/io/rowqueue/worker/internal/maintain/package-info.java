/** What any worker does for all of them: reap what the dead held, prune, heed the operators. */
@NullMarked
package io.rowqueue.worker.internal.maintain;

import org.jspecify.annotations.NullMarked;
