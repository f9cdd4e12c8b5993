/**
 * Results of handlers: stored in the transaction of the ack, and awaited by the message's id.
 *
 * <p>A process that awaits results sleeps on one connection for all of them, like an idle worker. A
 * worker that has committed a result ends that sleep. The notification only makes it faster: a poll
 * of all awaited ids once a second bounds the cost of a lost one.
 */
@NullMarked
package io.rowqueue.internal.result;

import org.jspecify.annotations.NullMarked;
