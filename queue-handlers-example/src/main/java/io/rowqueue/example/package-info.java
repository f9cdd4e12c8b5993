/** A small shop on RowQueue: an example to copy, one folder a handler. */
@NullMarked
package io.rowqueue.example;

import org.jspecify.annotations.NullMarked;
