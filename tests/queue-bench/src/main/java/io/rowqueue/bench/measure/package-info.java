/** What a piece of work costs, contests of several who do the same by turns, and their report. */
@NullMarked
package io.rowqueue.bench.measure;

import org.jspecify.annotations.NullMarked;
