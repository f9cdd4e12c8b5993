/**
 * Migrates the schema: {@link io.rowqueue.worker.Migrator} runs the scripts in {@code
 * io/rowqueue/migration} on the class path.
 */
@NullMarked
package io.rowqueue.worker.internal.migrate;

import org.jspecify.annotations.NullMarked;
