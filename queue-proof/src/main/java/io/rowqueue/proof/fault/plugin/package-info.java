/** The plug-in of the fault harness: every way to bind a handler, and every way to misbehave. */
@NullMarked
package io.rowqueue.proof.fault.plugin;

import org.jspecify.annotations.NullMarked;
