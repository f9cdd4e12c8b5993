/**
 * The fault harness: real workers on a real server, faults from a seed, and the books afterwards.
 */
@NullMarked
package io.rowqueue.proof.fault;

import org.jspecify.annotations.NullMarked;
