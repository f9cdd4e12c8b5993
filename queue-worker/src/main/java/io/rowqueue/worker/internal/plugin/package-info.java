/**
 * Handler plug-ins: one jar each, with its own libraries in a class loader of its own.
 *
 * <p>A plug-in shares with the worker what the two talk to each other in (RowQueue, Guice, jOOQ,
 * SLF4J and the JDK) and sees nothing else of it. {@link
 * io.rowqueue.worker.internal.plugin.PluginClassLoader} says what exactly.
 */
@NullMarked
package io.rowqueue.worker.internal.plugin;

import org.jspecify.annotations.NullMarked;
