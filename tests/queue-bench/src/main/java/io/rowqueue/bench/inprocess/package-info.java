/**
 * What the worker itself costs, measured by JMH without a server: the statements meet a connection
 * that answers at once.
 */
@NullMarked
package io.rowqueue.bench.inprocess;

import org.jspecify.annotations.NullMarked;
