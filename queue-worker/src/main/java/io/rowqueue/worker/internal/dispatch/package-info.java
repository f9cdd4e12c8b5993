/** Gives claims to handler threads, watches their time, and knows every claim until it ends. */
@NullMarked
package io.rowqueue.worker.internal.dispatch;

import org.jspecify.annotations.NullMarked;
