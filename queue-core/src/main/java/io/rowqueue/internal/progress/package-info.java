/**
 * How far handlings are, by their handlers' own words.
 *
 * <p>What a handler writes in its transaction is seen by nobody until its COMMIT. So its worker
 * writes the last word of each handling beside it, at most once a second and for all its handlers
 * in one statement. What has ended within that second was never written.
 */
@NullMarked
package io.rowqueue.internal.progress;

import org.jspecify.annotations.NullMarked;
