/** What any worker does for all of them: promote what is due, reap what the dead held. */
@NullMarked
package io.rowqueue.worker.maintain;

import org.jspecify.annotations.NullMarked;
