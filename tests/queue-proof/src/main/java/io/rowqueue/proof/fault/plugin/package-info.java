/** The plug-in of the fault harness: every kind of binding, and every kind of misbehavior. */
@NullMarked
package io.rowqueue.proof.fault.plugin;

import org.jspecify.annotations.NullMarked;
