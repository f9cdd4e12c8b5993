/**
 * What becomes of deduplication keys that nothing holds any more. How producers take keys stands in
 * {@link io.rowqueue.internal.enqueue}.
 */
@NullMarked
package io.rowqueue.internal.deduplicate;

import org.jspecify.annotations.NullMarked;
