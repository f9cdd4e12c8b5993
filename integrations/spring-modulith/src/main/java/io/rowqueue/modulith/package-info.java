/** RowQueue as the outbox of Spring Modulith's externalized events. */
@NullMarked
package io.rowqueue.modulith;

import org.jspecify.annotations.NullMarked;
