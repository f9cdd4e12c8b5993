/**
 * Cancels orders that nobody pays: periodic work over a table of the shop's own.
 *
 * <p>Two handlers take turns. {@code orders.sweep} is the clock and the run in one: in the
 * transaction that deletes its message it takes a bounded number of orders, enqueues a message for
 * each, and enqueues the next sweep. Exactly one sweep follows each, and no sweep that dies leaves
 * half a run behind. {@code order.unpaid} settles one order: it asks the payment desk, and then
 * cancels.
 *
 * <p>An order is taken by writing the run's number into its {@code sweep_id}. Were the run one
 * transaction from taking to cancelling, the row locks alone would keep other runs away; but the
 * desk answers over a network, and locks must not wait for it. So the taking commits, the desk is
 * asked outside every transaction, and the cancelling is a short transaction that is guarded by the
 * sweep_id. Whoever no longer holds the order finds nothing to cancel: a message that comes twice,
 * one that comes back from the dead letters, or one that was slow for so long that a later run
 * freed its order and took it. How a run died does not matter, either: an order that is held for
 * too long, by the database's clock, is freed, and being wrong about a death costs a second
 * question at the desk.
 *
 * <p>A second chain of sweeps cannot live beside the first. {@code shop_sweep} has the number of
 * the run that is due, and a sweep's message names the run that it is for. The sweep advances the
 * number, from its own to the next, in the transaction in which the next is enqueued; one that
 * finds another number there does nothing, and nothing follows it. So however many messages name
 * one run, one of them makes it, and it alone has a successor. That is also how the chain is
 * started, and started again if its message was lost to the dead letters: enqueue a sweep for the
 * number that stands in the table, as often as you like.
 */
@NullMarked
package io.rowqueue.example.sweep;

import org.jspecify.annotations.NullMarked;
