/** What a hot value costs whose writers do not wait for one row. */
@NullMarked
package io.rowqueue.bench.counter;

import org.jspecify.annotations.NullMarked;
