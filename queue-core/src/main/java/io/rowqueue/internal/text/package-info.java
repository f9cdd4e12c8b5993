/** Formatting of failures, durations and counts for logs and messages. */
@NullMarked
package io.rowqueue.internal.text;

import org.jspecify.annotations.NullMarked;
