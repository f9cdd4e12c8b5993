/** Has a model checker play every interleaving of the protocol's specification. */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.spec;
