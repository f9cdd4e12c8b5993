/** Messages with ordering keys: many short lines, one long one, and a short one beside that. */
@NullMarked
package io.rowqueue.proof.bench.order;

import org.jspecify.annotations.NullMarked;
