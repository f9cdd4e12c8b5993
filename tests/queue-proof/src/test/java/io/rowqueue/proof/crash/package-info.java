/** Kills a process at every COMMIT of the protocol, and checks the books. */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.crash;
