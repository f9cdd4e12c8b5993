/**
 * A queue without a database: the core's components that send SQL, implemented in memory. {@code
 * Rules} has the protocol's decisions; the contracts show that they match those of the servers.
 * Users access it as {@link io.rowqueue.testkit.InMemoryQueue}.
 */
@NullMarked
package io.rowqueue.testkit.internal.memory;

import org.jspecify.annotations.NullMarked;
