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
 * reap: a claim whose worker is dead, or whose lease ran out, is released for it.
 * </pre>
 *
 * <p>Producers find everything in this package, handlers in {@link io.rowqueue.handler}, operators
 * in {@link io.rowqueue.operate}; {@link io.rowqueue.spi} is for those who extend RowQueue.
 * Packages below {@code internal} may change with every version.
 */
@NullMarked
package io.rowqueue;

import org.jspecify.annotations.NullMarked;
