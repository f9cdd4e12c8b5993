/**
 * Start here: the life of a message.
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
 * <p>Each package is a room on that way: {@link io.rowqueue.message}, {@link io.rowqueue.enqueue},
 * {@link io.rowqueue.claim}, {@link io.rowqueue.handle}, {@link io.rowqueue.settle}, {@link
 * io.rowqueue.reap} and {@link io.rowqueue.deadletter}; {@link io.rowqueue.database} runs their
 * transactions and {@link io.rowqueue.schema} holds their tables.
 */
@NullMarked
package io.rowqueue;

import org.jspecify.annotations.NullMarked;
