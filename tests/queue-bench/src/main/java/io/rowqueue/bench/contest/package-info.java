/** Several ways to do the same, by turns, so that a slow moment of the machine hits all of them. */
@NullMarked
package io.rowqueue.bench.contest;

import org.jspecify.annotations.NullMarked;
