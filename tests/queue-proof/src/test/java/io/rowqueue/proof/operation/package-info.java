/**
 * The table of operations: every transition of the protocol, how it is arranged and who may run it.
 * The tests of statement faults, crashes and grants iterate over it.
 */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.operation;
