/** Messages with ordering keys: many short lines, one long one, and a short one beside that. */
@NullMarked
package io.rowqueue.bench.order;

import org.jspecify.annotations.NullMarked;
