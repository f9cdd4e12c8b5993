/** Measures what a claim costs. */
@NullMarked
package io.rowqueue.proof.bench;

import org.jspecify.annotations.NullMarked;
