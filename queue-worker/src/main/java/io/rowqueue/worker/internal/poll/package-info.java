/** Polls for messages, and claims as many as the handler threads can use soon. */
@NullMarked
package io.rowqueue.worker.internal.poll;

import org.jspecify.annotations.NullMarked;
