/**
 * What handlers give back: kept from the ack on, in the same transaction, and awaited by the id of
 * the message.
 *
 * <p>Who awaits sleeps on one connection for all that it awaits, as an idle worker does, and a
 * worker that has committed a result ends that sleep. A ring is for speed only: one look a second
 * at all awaited ids bounds what a lost one costs.
 */
@NullMarked
package io.rowqueue.internal.result;

import org.jspecify.annotations.NullMarked;
