/** Which generated cells a run of the tests executes. */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.sample;
