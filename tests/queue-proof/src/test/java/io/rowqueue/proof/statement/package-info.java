/** Every statement of the protocol: what is sent, and what comes of it when the server refuses. */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.statement;
