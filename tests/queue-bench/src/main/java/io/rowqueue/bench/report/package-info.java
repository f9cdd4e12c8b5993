/** What a benchmark says: tables for people, lines for programs, charts for both. */
@NullMarked
package io.rowqueue.bench.report;

import org.jspecify.annotations.NullMarked;
