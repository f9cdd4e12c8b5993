/** The version of the tables, and whether this RowQueue may run on them. */
@NullMarked
package io.rowqueue.internal.schema;

import org.jspecify.annotations.NullMarked;
