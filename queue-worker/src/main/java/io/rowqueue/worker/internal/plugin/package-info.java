/**
 * Handler plug-ins: one jar each, with its own libraries in a class loader of its own.
 *
 * <p>A plug-in shares only the API with the worker (RowQueue, Guice, jOOQ, SLF4J and the JDK). See
 * {@link io.rowqueue.worker.internal.plugin.PluginClassLoader} for details.
 */
@NullMarked
package io.rowqueue.worker.internal.plugin;

import org.jspecify.annotations.NullMarked;
