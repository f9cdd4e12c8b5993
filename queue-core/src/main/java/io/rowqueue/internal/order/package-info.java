/**
 * Lines: messages of one topic with the same ordering key, of which the head alone may be handled.
 *
 * <p>Producers put messages into their line ({@link io.rowqueue.internal.enqueue}) and tell nobody
 * whether it is free. Workers admit what arrives: they make the lowest of a line without a head
 * available. The transaction that ends a head makes the next one available; whoever takes a message
 * out of a line otherwise only marks the line as stalled, and a worker's next look goes on with it.
 * Whoever changes a line has locked its head's row, behind the messages and before the places.
 */
@NullMarked
package io.rowqueue.internal.order;

import org.jspecify.annotations.NullMarked;
