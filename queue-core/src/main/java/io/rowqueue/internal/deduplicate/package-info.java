/**
 * Deletes expired deduplication keys. Producers take keys in {@link io.rowqueue.internal.enqueue}.
 */
@NullMarked
package io.rowqueue.internal.deduplicate;

import org.jspecify.annotations.NullMarked;
