/** Brings the schema to this version. */
@NullMarked
package io.rowqueue.worker.migrate;

import org.jspecify.annotations.NullMarked;
