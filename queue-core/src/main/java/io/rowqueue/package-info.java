/**
 * Producers: messages, batches, chains and their results. The life of a message:
 *
 * <pre>
 * producer's transaction        worker                                    handler's transaction
 * ----------------------        --------------------------------          ---------------------
 * enqueue --&gt; [ available ] --&gt; claim --&gt; dispatch --&gt; handle --&gt; settle
 *    |            ^  ^  ^                                            |
 *    |            |  |  |                                            +-- ack ---------&gt; row deleted
 *    +-&gt; [ scheduled ]  |  +------ at once, attempt not counted &lt;----+-- release
 *         due? promote  +--------- after backoff, attempt counted &lt;--+-- retry
 *                                                                    +-- dead-letter --&gt; [ dead letter ] -- redrive --&gt; available
 *
 * reap: a claim whose worker is dead, or whose lease has expired, is released.
 * </pre>
 *
 * <p>This package is the API of producers, {@link io.rowqueue.handler} that of handlers, {@link
 * io.rowqueue.operate} that of operators; {@link io.rowqueue.spi} contains extension points.
 * Packages below {@code internal} may change with every version.
 */
@NullMarked
package io.rowqueue;

import org.jspecify.annotations.NullMarked;
