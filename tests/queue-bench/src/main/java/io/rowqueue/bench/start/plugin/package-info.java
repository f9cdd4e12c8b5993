/** The plug-in of the worker whose start is measured. */
@NullMarked
package io.rowqueue.bench.start.plugin;

import org.jspecify.annotations.NullMarked;
