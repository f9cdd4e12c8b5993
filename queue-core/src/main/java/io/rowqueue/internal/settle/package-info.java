/**
 * Settlement: every claim ends in an ack, a retry, a release or a dead letter, each one fenced.
 * Updating no row is an expected outcome: the claim was lost, or had been ended before.
 */
@NullMarked
package io.rowqueue.internal.settle;

import org.jspecify.annotations.NullMarked;
