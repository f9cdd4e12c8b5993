/**
 * The way out: every claim ends in an ack, a retry, a release or a dead letter, each one fenced.
 * Finding no row is an answer, not an accident: the claim was lost, or had been ended before.
 */
@NullMarked
package io.rowqueue.internal.settle;

import org.jspecify.annotations.NullMarked;
