/** Writes a report by the clock. */
@NullMarked
package io.rowqueue.example.report;

import org.jspecify.annotations.NullMarked;
