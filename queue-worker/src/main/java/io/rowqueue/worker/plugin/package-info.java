/** Loads handler plug-ins: one jar, one class loader, the team's own libraries inside. */
@NullMarked
package io.rowqueue.worker.plugin;

import org.jspecify.annotations.NullMarked;
