/** How failures, lengths of time and counts read in logs and messages. */
@NullMarked
package io.rowqueue.internal.text;

import org.jspecify.annotations.NullMarked;
