/** Hot values without waiting: a counter's amount is spread over slots. */
@NullMarked
package io.rowqueue.counter;

import org.jspecify.annotations.NullMarked;
