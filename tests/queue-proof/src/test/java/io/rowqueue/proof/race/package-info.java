/** Two transitions at one row: one holds it, the other comes. */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.race;
