/**
 * Compression and encryption of payloads, between codec and column. Each wrapper is marked in the
 * headers, so that producers with and without wrappers can run at the same time.
 */
@NullMarked
package io.rowqueue.internal.wrap;

import org.jspecify.annotations.NullMarked;
