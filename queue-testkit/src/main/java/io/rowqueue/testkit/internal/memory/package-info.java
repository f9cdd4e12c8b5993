/**
 * A queue without a database: the rooms of the core that send SQL, over rows in memory. What
 * decides stands in {@code Rules}; that it decides as the servers do is what the contracts show.
 * Teams use it as {@link io.rowqueue.testkit.InMemoryQueue}.
 */
@NullMarked
package io.rowqueue.testkit.internal.memory;

import org.jspecify.annotations.NullMarked;
