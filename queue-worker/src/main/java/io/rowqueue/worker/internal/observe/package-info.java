/** What the queue holds and who works on it, read without locking anything. */
@NullMarked
package io.rowqueue.worker.internal.observe;

import org.jspecify.annotations.NullMarked;
