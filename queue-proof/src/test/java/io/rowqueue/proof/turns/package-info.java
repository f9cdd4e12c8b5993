/** Which test classes run beside others, where several JVMs of one build share the machine. */
@NullMarked
package io.rowqueue.proof.turns;

import org.jspecify.annotations.NullMarked;
