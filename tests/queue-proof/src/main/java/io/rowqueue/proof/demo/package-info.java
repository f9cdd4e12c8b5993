/** The README's demonstration. */
@NullMarked
package io.rowqueue.proof.demo;

import org.jspecify.annotations.NullMarked;
