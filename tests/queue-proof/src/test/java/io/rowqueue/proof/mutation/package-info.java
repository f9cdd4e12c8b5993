/** Breaks the protocol on purpose, one rule at a time, and shows which test notices. */
@NullMarked
package io.rowqueue.proof.mutation;

import org.jspecify.annotations.NullMarked;
