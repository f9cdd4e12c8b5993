/**
 * Brings the schema to this version: {@link io.rowqueue.worker.migrate.Migrator} runs the scripts
 * that lie in {@code io/rowqueue/migration} on the class path.
 */
@NullMarked
package io.rowqueue.worker.migrate;

import org.jspecify.annotations.NullMarked;
