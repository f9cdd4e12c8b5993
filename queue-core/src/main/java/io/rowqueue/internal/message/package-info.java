/** The parts of a message. Depends on no other internal package. */
@NullMarked
package io.rowqueue.internal.message;

import org.jspecify.annotations.NullMarked;
