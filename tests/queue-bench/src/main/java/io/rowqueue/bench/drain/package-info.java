/**
 * Who empties a queue how fast: RowQueue's worker, the least that its job needs in plain JDBC, and
 * rivals.
 */
@NullMarked
package io.rowqueue.bench.drain;

import org.jspecify.annotations.NullMarked;
