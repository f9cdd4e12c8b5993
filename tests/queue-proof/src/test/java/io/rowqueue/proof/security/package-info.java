/** What an account, a network or a stranger's text may do to the queue, and what not. */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.security;
