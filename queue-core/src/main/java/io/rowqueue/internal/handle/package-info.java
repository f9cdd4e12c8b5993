/**
 * Handlers: the types that applications implement and bind, and the pipeline that takes one claim
 * from its start through the handler to its settlement, on the calling thread.
 */
@NullMarked
package io.rowqueue.internal.handle;

import org.jspecify.annotations.NullMarked;
